/* TH/THMemoryFile.h: files in a THCharStorage that grows as it is written; it ends with a zero byte. */
#ifndef TH_MEMORY_FILE_INC
#define TH_MEMORY_FILE_INC

#include "THFile.h"
#include "THStorage.h"

/* mode "r", "w" (which does not empty the storage) or "rw". newWithStorage keeps a reference to `storage` and starts at
 * its beginning; NULL: a new one. Errors: argument 2, another mode; argument 1, a storage whose last byte is not
 * zero. */
TH_API THFile *THMemoryFile_newWithStorage(THCharStorage *storage, const char *mode);
TH_API THFile *THMemoryFile_new(const char *mode);

TH_API THCharStorage *THMemoryFile_storage(THFile *self); /* borrowed; cut to the file and its zero byte */

/* Bytes that a long takes in binary data: 4 (higher bits are lost), 8, or 0 for this machine's own. */
TH_API void THMemoryFile_longSize(THFile *self, int size);

#endif
