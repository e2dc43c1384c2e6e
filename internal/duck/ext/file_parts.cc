#include "ext.hpp"
#include "file_access.hpp"
#include "file_crc32c.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <random>
#include <unordered_map>

#include <fcntl.h>
#include <unistd.h>

#include "duckdb/common/file_system.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/database.hpp"

namespace {

using namespace duckdb;

const char *const scheme = "scoter://part/";
const char *const secret_name = "scoter_part";

constexpr idx_t block_size = 64 << 10;

// The number of bytes of a part that are read at once. It is so small that they are still in the
// processor's cache when they are verified.
constexpr idx_t slice = 8 * block_size;

// Returns an exception that becomes an error of one of Scoter's kinds; see internal/duck/errors.go.
Exception Failure(const string &kind, const string &message, const string &hint) {
	return Exception({{"scoter_kind", kind}, {"scoter_hint", hint}}, ExceptionType::IO, message);
}

// An open file. All readers of a part share it.
struct Descriptor {
	explicit Descriptor(int fd) : fd(fd) {}
	~Descriptor() { close(fd); }
	const int fd;
};

// A part's file, which never changes, and the checksums of its blocks. Threads share it.
struct Part {
	uint64_t store = 0, id = 0;
	decltype(scoter_part_functions::damaged) damaged = nullptr;
	string path, name;
	idx_t bytes = 0;
	vector<uint32_t> sums;

	shared_ptr<Descriptor> Open() {
		std::lock_guard<std::mutex> guard(lock);
		auto there = open.lock();
		if (there) return there;
		int fd;
		do fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
		while (fd < 0 && errno == EINTR);
		if (fd < 0 && errno == ENOENT) Damaged(0, "the file is missing");
		if (fd < 0)
			throw IOException(
				{{"scoter_kind", "unavailable"}}, "%s cannot be opened: %s", name, strerror(errno));
		there = make_shared_ptr<Descriptor>(fd);
		open = there;
		return there;
	}

	// Reads n bytes of the file at a position into a buffer. Each block (64 KiB) that contains some
	// of these bytes is compared with its checksum.
	void Read(int fd, char *to, idx_t n, idx_t at) {
		if (at > bytes || n > bytes - at)
			throw IOException({{"scoter_kind", "corrupt"}}, "%s: %llu bytes at byte %llu, of %llu",
				name, n, at, bytes);
		while (n > 0) {
			auto in_block = at % block_size;
			auto whole = at + n == bytes ? n : n - n % block_size;
			auto now = in_block == 0 && whole > 0 ? std::min(whole, slice)
												  : std::min(n, block_size - in_block);
			if (in_block == 0 && whole > 0) {
				ReadBlocks(fd, to, now, at);
			} else {
				memcpy(to, Block(fd, at / block_size) + in_block, now);
			}
			to += now, at += now, n -= now;
		}
	}

private:
	std::mutex lock;
	weak_ptr<Descriptor> open;

	// Reads whole blocks of the file into a buffer, and compares them with their checksums.
	void ReadBlocks(int fd, char *to, idx_t n, idx_t at) {
		ReadFile(fd, to, n, at);
		for (idx_t done = 0; done < n; done += block_size) {
			auto block = (at + done) / block_size;
			auto sum = scoter_crc32c(0, to + done, std::min(block_size, n - done));
			if (sum == sums[block]) continue;
			Damaged(at + done,
				StringUtil::Format("the block at byte %llu has checksum %08x, expected %08x",
					at + done, sum, sums[block]));
		}
	}

	// Returns the verified bytes of a block. They are valid until the thread requests another
	// block.
	//
	// Each thread caches the last block that it read, since it mostly reads a file in order.
	// Without the cache, each column chunk that is much smaller than a block would read and verify
	// the same block again.
	const char *Block(int fd, idx_t block) {
		static thread_local struct {
			uint64_t store = 0, id = 0;
			idx_t block = 0;
			char data[block_size];
		} last; // store is 0 if no block is cached
		if (last.store != store || last.id != id || last.block != block) {
			last.store = 0;
			ReadBlocks(fd, last.data, std::min(block_size, bytes - block * block_size),
				block * block_size);
			last.store = store, last.id = id, last.block = block;
		}
		return last.data;
	}

	void ReadFile(int fd, char *to, idx_t n, idx_t at) {
		while (n > 0) {
			auto got = pread(fd, to, n, off_t(at));
			if (got < 0 && errno == EINTR) continue;
			if (got < 0)
				throw IOException({{"scoter_kind", "unavailable"}},
					"%s cannot be read at byte %llu: %s", name, at, strerror(errno));
			if (got == 0)
				Damaged(at, StringUtil::Format("the file ends at byte %llu of %llu", at, bytes));
			to += got, at += idx_t(got), n -= idx_t(got);
		}
	}

	[[noreturn]] void Damaged(idx_t offset, const string &what) {
		auto text = what;
		damaged(store, id, int64_t(offset), &text[0]);
		throw Failure("corrupt", name + ": " + what,
			"restore the file from a backup; scoter check --repair removes a part that cannot be "
			"restored, with its rows");
	}
};

} // namespace

struct scoter_found {
	shared_ptr<Part> part;
	string kind, message, hint;
};

namespace {

// The known parts of all data directories that are open in this process.
struct Parts {
	using Key = std::pair<uint64_t, uint64_t>;

	struct Hash {
		size_t operator()(const Key &key) const {
			return std::hash<uint64_t>()(key.first * 0x9e3779b97f4a7c15 ^ key.second);
		}
	};

	shared_ptr<Part> Find(const Key &key, const scoter_part_functions &functions) {
		{
			std::lock_guard<std::mutex> guard(lock);
			auto known = parts.find(key);
			if (known != parts.end()) return known->second;
		}
		scoter_found found;
		functions.find(key.first, key.second, &found);
		if (!found.part) throw Failure(found.kind, found.message, found.hint);
		found.part->store = key.first, found.part->id = key.second;
		found.part->damaged = functions.damaged;
		std::lock_guard<std::mutex> guard(lock);
		return parts.emplace(key, found.part).first->second;
	}

	void Forget(const Key &key) {
		std::lock_guard<std::mutex> guard(lock);
		parts.erase(key);
	}

private:
	std::mutex lock;
	std::unordered_map<Key, shared_ptr<Part>, Hash> parts;
};

Parts &AllParts() {
	// The object is never destroyed, because threads of DuckDB may outlive static objects.
	static auto all = new Parts;
	return *all;
}

int64_t Secret() {
	static const auto secret =
		int64_t(std::random_device()()) << 32 | int64_t(std::random_device()());
	return secret;
}

struct PartHandle : public FileHandle {
	PartHandle(FileSystem &files, const string &path, FileOpenFlags flags, shared_ptr<Part> part)
		: FileHandle(files, path, flags), part(std::move(part)) {}
	~PartHandle() override { PartHandle::Close(); }

	void Close() override { open.reset(); }

	void Read(void *to, idx_t n, idx_t at) {
		if (!open) open = part->Open();
		part->Read(open->fd, static_cast<char *>(to), n, at);
	}

	const shared_ptr<Part> part;
	shared_ptr<Descriptor> open; // null before the first read
	idx_t position = 0;
};

// The file system with which DuckDB reads parts. It opens parts only for Scoter's own scans. It
// lists and finds no files, and nothing can be written.
class PartFileSystem : public FileSystem {
public:
	explicit PartFileSystem(const scoter_part_functions &functions) : functions(functions) {}

	string GetName() const override { return "ScoterParts"; }

	bool CanHandleFile(const string &path) override { return StringUtil::StartsWith(path, scheme); }

	void Read(FileHandle &handle, void *buffer, int64_t n, idx_t at) override {
		Of(handle).Read(buffer, idx_t(n), at);
	}

	int64_t Read(FileHandle &handle, void *buffer, int64_t n) override {
		auto &part = Of(handle);
		auto read = std::min(idx_t(n), part.part->bytes - part.position);
		part.Read(buffer, read, part.position);
		part.position += read;
		return int64_t(read);
	}

	// The properties of a file are in memory, since a part never changes.
	int64_t GetFileSize(FileHandle &handle) override { return int64_t(Of(handle).part->bytes); }
	timestamp_t GetLastModifiedTime(FileHandle &) override { return timestamp_t(1); }
	string GetVersionTag(FileHandle &) override { return "part"; }
	FileType GetFileType(FileHandle &) override { return FileType::FILE_TYPE_REGULAR; }

	FileMetadata Stats(FileHandle &handle) override {
		FileMetadata m;
		m.file_size = GetFileSize(handle), m.last_modification_time = GetLastModifiedTime(handle),
		m.file_type = FileType::FILE_TYPE_REGULAR;
		return m;
	}

	void Seek(FileHandle &handle, idx_t at) override {
		Of(handle).position = std::min(at, Of(handle).part->bytes);
	}
	void Reset(FileHandle &handle) override { Of(handle).position = 0; }
	idx_t SeekPosition(FileHandle &handle) override { return Of(handle).position; }
	bool CanSeek() override { return true; }
	bool OnDiskFile(FileHandle &) override { return true; }

	bool FileExists(const string &, optional_ptr<FileOpener>) override { return false; }
	bool DirectoryExists(const string &, optional_ptr<FileOpener>) override { return false; }
	bool IsPipe(const string &, optional_ptr<FileOpener>) override { return false; }
	bool ListFiles(
		const string &, const std::function<void(const string &, bool)> &, FileOpener *) override {
		return false;
	}
	vector<OpenFileInfo> Glob(const string &, FileOpener *) override { return {}; }
	bool TryRemoveFile(const string &, optional_ptr<FileOpener>) override { return false; }
	void RemoveFile(const string &path, optional_ptr<FileOpener>) override { Refuse(path); }
	void RemoveFiles(const vector<string> &paths, optional_ptr<FileOpener>) override {
		Refuse(paths.empty() ? "" : paths[0]);
	}
	void MoveFile(const string &path, const string &, optional_ptr<FileOpener>) override {
		Refuse(path);
	}
	void CreateDirectory(const string &path, optional_ptr<FileOpener>) override { Refuse(path); }
	void RemoveDirectory(const string &path, optional_ptr<FileOpener>) override { Refuse(path); }

	// Paths stay as they are, because DuckDB compares them with the setting allowed_directories.
	string CanonicalizePath(const string &path, optional_ptr<FileOpener>) override { return path; }
	string PathSeparator(const string &) override { return "/"; }

	unique_ptr<FileHandle> OpenFile(
		const string &path, FileOpenFlags, optional_ptr<FileOpener>) override {
		Refuse(path);
	}

protected:
	bool SupportsOpenFileExtended() const override { return true; }

	unique_ptr<FileHandle> OpenFileExtended(
		const OpenFileInfo &file, FileOpenFlags flags, optional_ptr<FileOpener>) override {
		if (!file.extended_info || flags.OpenForWriting()) Refuse(file.path);
		auto secret = file.extended_info->options.find(secret_name);
		if (secret == file.extended_info->options.end() ||
			secret->second.GetValue<int64_t>() != Secret())
			Refuse(file.path);
		return make_uniq<PartHandle>(
			*this, file.path, flags, AllParts().Find(Parse(file.path), functions));
	}

private:
	static PartHandle &Of(FileHandle &handle) { return static_cast<PartHandle &>(handle); }

	[[noreturn]] static void Refuse(const string &path) {
		throw PermissionException("\"%s\" is not a file", path);
	}

	static Parts::Key Parse(const string &path) {
		auto numbers = path.c_str() + strlen(scheme);
		char *end;
		auto store = strtoull(numbers, &end, 10);
		if (end == numbers || *end != '/') Refuse(path);
		auto id = strtoull(end + 1, &end, 10);
		if (*end != 0) Refuse(path);
		return {store, id};
	}

	const scoter_part_functions functions;
};

} // namespace

duckdb::shared_ptr<duckdb::ExtendedOpenFileInfo> scoter::PartAccess() {
	static const auto access = []() {
		auto info = make_shared_ptr<ExtendedOpenFileInfo>();
		info->options[secret_name] = Value::BIGINT(Secret());
		info->options["validate_external_file_cache"] = Value::BOOLEAN(false);
		return info;
	}();
	return access;
}

void scoter::AddPartFiles(ClientContext &context, const scoter_part_functions &functions) {
	DatabaseInstance::GetDatabase(context).GetFileSystem().RegisterSubSystem(
		make_uniq<PartFileSystem>(functions));
}

void scoter_found_part(scoter_found *found, const char *path, const char *name, int64_t bytes,
	const uint32_t *sums, int64_t n_sums) {
	auto part = make_shared_ptr<Part>();
	part->path = path, part->name = name, part->bytes = idx_t(bytes);
	part->sums.assign(sums, sums + n_sums);
	found->part = std::move(part);
}

void scoter_found_error(
	scoter_found *found, const char *kind, const char *message, const char *hint) {
	found->kind = kind, found->message = message, found->hint = hint;
}

void scoter_uncache_part(uint64_t store, uint64_t id) { AllParts().Forget({store, id}); }
