/* TH/THDiskFile.h: files on disk and pipes. */
#ifndef TH_DISK_FILE_INC
#define TH_DISK_FILE_INC

#include "THFile.h"

/* mode "r", "w" or "rw". Errors unless quiet (then NULL): a file that cannot be opened; argument 2, another mode. */
TH_API THFile *THDiskFile_new(const char *name, const char *mode, int isQuiet);

/* `name` is a shell command to read from ("r") or to write to ("w"). */
TH_API THFile *THPipeFile_new(const char *name, const char *mode, int isQuiet);

TH_API const char *THDiskFile_name(THFile *self);

TH_API int THDiskFile_isLittleEndianCPU(void);
TH_API int THDiskFile_isBigEndianCPU(void);

/* The byte order of binary data; native at first. */
TH_API void THDiskFile_nativeEndianEncoding(THFile *self);
TH_API void THDiskFile_littleEndianEncoding(THFile *self);
TH_API void THDiskFile_bigEndianEncoding(THFile *self);

/* Bytes that a long takes in binary data: 4, 8, or 0 for this machine's own. */
TH_API void THDiskFile_longSize(THFile *self, int size);

TH_API void THDiskFile_noBuffer(THFile *self);

#endif
