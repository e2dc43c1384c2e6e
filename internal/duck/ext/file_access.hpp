// How a scan shows that it may open parts of tables.
#pragma once

#include "duckdb/common/open_file_info.hpp"

namespace scoter {

// The options that a file (OpenFileInfo) must have so that it can be opened as a part. They are a
// secret of this process, and the statement that what DuckDB has cached of the file stays valid.
duckdb::shared_ptr<duckdb::ExtendedOpenFileInfo> PartAccess();

} // namespace scoter
