package com.scoterdb.client;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * A reader of batches that another reader has loaded before. It uses the other reader's
 * dictionaries. Closing it closes neither the batches nor the other reader.
 */
final class ScoterHeldBatches extends ArrowReader {
    private final ArrowReader source;
    private final VectorSchemaRoot root;
    private final Iterator<ArrowRecordBatch> batches;

    ScoterHeldBatches(ArrowReader source, BufferAllocator allocator, List<ArrowRecordBatch> batches)
            throws IOException {
        super(allocator);
        this.source = source;
        this.root = VectorSchemaRoot.create(source.getVectorSchemaRoot().getSchema(), allocator);
        this.batches = batches.iterator();
    }

    @Override
    public VectorSchemaRoot getVectorSchemaRoot() {
        return root;
    }

    @Override
    public Map<Long, Dictionary> getDictionaryVectors() throws IOException {
        return source.getDictionaryVectors();
    }

    @Override
    public Dictionary lookup(long id) {
        return source.lookup(id);
    }

    @Override
    public Set<Long> getDictionaryIds() {
        return source.getDictionaryIds();
    }

    @Override
    public boolean loadNextBatch() {
        if (!batches.hasNext()) {
            return false;
        }
        new VectorLoader(root).load(batches.next());
        return true;
    }

    @Override
    public long bytesRead() {
        return source.bytesRead();
    }

    @Override
    protected void closeReadSource() {
        root.close();
    }

    @Override
    protected Schema readSchema() {
        return root.getSchema();
    }
}
