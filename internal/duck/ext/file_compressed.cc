// Compressed files for DuckDB's readers. DuckDB (1.5.6) reads a truncated file as if it ended
// there, and does not compare gzip's checksums. So it would not notice missing or changed rows.
// These file systems replace DuckDB's own.
//
// Only a reader that reaches the end of a file learns that the file is truncated. A reader that
// stops earlier has the rows that it asked for.
#include "ext.hpp"
#include "file_crc32.hpp"

#include <cstring>

#include "miniz.hpp"
#include "zstd.h"
#include "zstd_file_system.hpp"

#include "duckdb/common/gzip_file_system.hpp"
#include "duckdb/main/client_context.hpp"

namespace {

using namespace duckdb;

// A compressed file that is being read.
struct File : public CompressedFile {
	File(CompressedFileSystem &files, unique_ptr<FileHandle> child, const string &path,
		FileCompressionType type)
		: CompressedFile(files, std::move(child), path), type(type) {}

	FileCompressionType GetFileCompressionType() override { return type; }

	[[noreturn]] void Fail(const char *what) const { throw IOException("%s %s", path, what); }

	const FileCompressionType type;
	bool started = false; // the file has at least one byte
	bool complete = false; // what was read so far may be the whole file
};

// Decompresses a file. CompressedFile (DuckDB's reader of such a file) never notifies the stream
// when the file ends. So the stream says in advance whether the file may end at the current
// position (File::complete).
class Stream : public StreamWrapper {
public:
	void Initialize(QueryContext, CompressedFile &reads, bool) override {
		file = static_cast<File *>(&reads);
		file->started = file->complete = false;
		Begin();
	}

	bool Read(StreamData &data) override {
		file->started = true;
		Decompress(data);
		return false; // there may be more; CompressedFile notices the end
	}

	void Write(CompressedFile &, StreamData &, data_ptr_t, int64_t) override {
		throw InternalException("a stream that reads does not write");
	}

protected:
	virtual void Begin() = 0;
	virtual void Decompress(StreamData &data) = 0;

	File *file = nullptr;
};

// Decompresses a gzip file: its members, one after the other, and the zeros behind them with which
// tools pad blocks.
class GzipStream : public Stream {
public:
	~GzipStream() override { GzipStream::Close(); }

	void Close() override {
		if (inflating) duckdb_miniz::mz_inflateEnd(&deflated);
		inflating = false;
	}

protected:
	void Begin() override { Enter(&GzipStream::Magic); }

	void Decompress(StreamData &data) override {
		while (data.in_buff_start < data.in_buff_end) {
			if (inflating) {
				if (Inflate(data)) return;
			} else {
				(this->*take)(*data.in_buff_start++);
			}
		}
	}

private:
	using Taker = void (GzipStream::*)(uint8_t);

	duckdb_miniz::mz_stream deflated;
	bool inflating = false;
	Taker take = nullptr; // handles the next byte of a header or footer
	uint32_t at = 0; // bytes of the current field that were handled
	uint8_t flags = 0; // flags of the current member
	uint32_t number = 0; // a number that is read byte by byte
	uint32_t crc = 0, size = 0;

	// The flag of RFC 1952 for a header with a checksum. DuckDB uses other names for some flags.
	static constexpr uint8_t has_header_crc = 2;

	void Enter(Taker next) { take = next, at = 0, number = 0; }

	// Adds a byte to the field number, which has the given size in bytes. Returns true when the
	// number is complete.
	bool Number(uint8_t byte, uint32_t bytes) {
		number |= uint32_t(byte) << 8 * at;
		return ++at == bytes;
	}

	void Magic(uint8_t byte) {
		static const uint8_t magic[] = {0x1f, 0x8b, GZIP_COMPRESSION_DEFLATE};
		if (file->complete && byte == 0) return;
		if (byte != magic[at])
			file->Fail(file->complete || second ? "is damaged: what follows a member is not gzip"
												: "is not a gzip file");
		file->complete = false;
		if (++at == sizeof magic) Enter(&GzipStream::Fixed);
	}

	void Fixed(uint8_t byte) { // flags, time, extra flags, system
		if (at == 0) flags = byte;
		if (++at == GZIP_HEADER_MINSIZE - 3) Field();
	}

	// Continues with the next field of a gzip header. After the last field it continues with the
	// compressed data.
	void Field() {
		static const struct {
			uint8_t flag;
			Taker take;
		} fields[] = {{GZIP_FLAG_EXTRA, &GzipStream::ExtraLength},
			{GZIP_FLAG_NAME, &GzipStream::Text}, {GZIP_FLAG_COMMENT, &GzipStream::Text},
			{has_header_crc, &GzipStream::HeaderCRC}};
		for (auto &field : fields) {
			if (!(flags & field.flag)) continue;
			flags &= uint8_t(~field.flag);
			return Enter(field.take);
		}
		if (flags & 0xe0) file->Fail("is a gzip file of a kind that is not known");
		memset(&deflated, 0, sizeof deflated);
		if (duckdb_miniz::mz_inflateInit2(&deflated, -MZ_DEFAULT_WINDOW_BITS) !=
			duckdb_miniz::MZ_OK)
			throw OutOfMemoryException("no memory to decompress %s", file->path);
		inflating = true;
		crc = 0, size = 0;
	}

	void ExtraLength(uint8_t byte) {
		if (!Number(byte, 2)) return;
		if (number == 0) return Field();
		left = number;
		Enter(&GzipStream::Extra);
	}

	void Extra(uint8_t) {
		if (--left == 0) Field();
	}

	void Text(uint8_t byte) {
		if (byte == 0) Field();
	}

	void HeaderCRC(uint8_t) {
		if (++at == 2) Field();
	}

	// Decompresses data. Returns true if the output is full and must be read first.
	bool Inflate(StreamData &data) {
		auto room = data.out_buff.get() + data.out_buf_size;
		deflated.next_in = data.in_buff_start,
		deflated.avail_in = unsigned(data.in_buff_end - data.in_buff_start);
		deflated.next_out = data.out_buff_end,
		deflated.avail_out = unsigned(room - data.out_buff_end);
		auto status = duckdb_miniz::mz_inflate(&deflated, duckdb_miniz::MZ_NO_FLUSH);
		if (status != duckdb_miniz::MZ_OK && status != duckdb_miniz::MZ_STREAM_END)
			file->Fail("is damaged: its deflated data are not valid");
		auto written = room - deflated.avail_out;
		crc = scoter::Crc32(crc, data.out_buff_end, size_t(written - data.out_buff_end));
		size += uint32_t(written - data.out_buff_end);
		data.out_buff_end = written;
		data.in_buff_start = data.in_buff_end - deflated.avail_in;
		if (status == duckdb_miniz::MZ_STREAM_END) {
			Close();
			Enter(&GzipStream::Checksum);
		}
		return data.out_buff_end == room;
	}

	void Checksum(uint8_t byte) {
		if (!Number(byte, 4)) return;
		if (number != crc) file->Fail("is damaged: the checksum of its gzip data is wrong");
		Enter(&GzipStream::Size);
	}

	void Size(uint8_t byte) {
		if (!Number(byte, 4)) return;
		if (number != size) file->Fail("is damaged: the size of its gzip data is wrong");
		file->complete = second = true;
		Enter(&GzipStream::Magic);
	}

	uint32_t left = 0; // remaining bytes of the extra field
	bool second = false; // at least one member has ended
};

class ZstdStream : public Stream {
public:
	~ZstdStream() override { ZstdStream::Close(); }

	void Close() override {
		duckdb_zstd::ZSTD_freeDStream(stream);
		stream = nullptr;
	}

protected:
	void Begin() override {
		stream = duckdb_zstd::ZSTD_createDStream();
		if (!stream) throw OutOfMemoryException("no memory to decompress %s", file->path);
	}

	// Decompresses zstd data. The library verifies the checksums of frames that have one.
	void Decompress(StreamData &data) override {
		duckdb_zstd::ZSTD_inBuffer in = {
			data.in_buff_start, size_t(data.in_buff_end - data.in_buff_start), 0};
		duckdb_zstd::ZSTD_outBuffer out = {data.out_buff_start, data.out_buf_size, 0};
		auto status = duckdb_zstd::ZSTD_decompressStream(stream, &out, &in);
		if (duckdb_zstd::ZSTD_isError(status))
			file->Fail((
				string("is damaged, or not a zstd file: ") + duckdb_zstd::ZSTD_getErrorName(status))
					.c_str());
		file->complete = status == 0; // a frame has ended, and all of it has been written
		data.in_buff_start += in.pos;
		data.out_buff_end = data.out_buff_start + out.pos;
	}

private:
	duckdb_zstd::ZSTD_DStream *stream = nullptr;
};

// A compressed file system that reads with one of the streams above, and writes as DuckDB does.
template <class Base, class Reader, FileCompressionType type> class Verified : public Base {
public:
	unique_ptr<FileHandle> OpenCompressedFile(
		QueryContext context, unique_ptr<FileHandle> child, bool write) override {
		if (write) return Base::OpenCompressedFile(context, std::move(child), write);
		auto path = child->path;
		auto file = make_uniq<File>(*this, std::move(child), path, type);
		file->Initialize(context, false);
		return std::move(file);
	}

	unique_ptr<StreamWrapper> CreateStream() override { return make_uniq<Reader>(); }

	int64_t Read(FileHandle &handle, void *to, int64_t n) override {
		auto read = CompressedFileSystem::Read(handle, to, n);
		auto &file = static_cast<File &>(handle);
		if (read < n && !file.complete)
			file.Fail(file.started ? "is cut: it ends within its compressed data"
								   : "is empty, not a compressed file");
		return read;
	}
};

} // namespace

void scoter::AddCompressedFiles(ClientContext &context) {
	auto &files = DatabaseInstance::GetDatabase(context).GetFileSystem();
	files.RegisterSubSystem(FileCompressionType::GZIP,
		make_uniq<Verified<GZipFileSystem, GzipStream, FileCompressionType::GZIP>>());
	files.RegisterSubSystem(FileCompressionType::ZSTD,
		make_uniq<Verified<ZStdFileSystem, ZstdStream, FileCompressionType::ZSTD>>());
}
