/* TH/THDiskFile.h: files on disk and pipes. */
#ifndef TH_DISK_FILE_INC
#define TH_DISK_FILE_INC

#include "THFile.h"

/* mode "r", "w" (empties the file) or "rw" (makes one where there is none). Errors: a file that cannot be opened
 * (quiet: NULL instead); argument 2, another mode. */
TH_API THFile *THDiskFile_new(const char *name, const char *mode, int isQuiet);

/* `name` is a shell command to read from ("r") or to write to ("w"). */
TH_API THFile *THPipeFile_new(const char *name, const char *mode, int isQuiet);

/* The functions below raise an error of argument 1 for files in memory. */

TH_API const char *THDiskFile_name(THFile *self); /* belongs to the file */

TH_API int THDiskFile_isLittleEndianCPU(void);
TH_API int THDiskFile_isBigEndianCPU(void);

/* The byte order of binary data; native at first. */
TH_API void THDiskFile_nativeEndianEncoding(THFile *self);
TH_API void THDiskFile_littleEndianEncoding(THFile *self);
TH_API void THDiskFile_bigEndianEncoding(THFile *self);

/* Bytes that a long takes in binary data: 4 (higher bits are lost), 8, or 0 for this machine's own. */
TH_API void THDiskFile_longSize(THFile *self, int size);

/* Before the first read or write: each goes to the system at once. */
TH_API void THDiskFile_noBuffer(THFile *self);

#endif
