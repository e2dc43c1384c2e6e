// How a scan shows that it may open parts.
#pragma once

#include "duckdb/common/open_file_info.hpp"

namespace scoter {

// The options that an OpenFileInfo must have: a secret of this process, and that what DuckDB has
// cached of a file stays valid.
duckdb::shared_ptr<duckdb::ExtendedOpenFileInfo> PartAccess();

} // namespace scoter
