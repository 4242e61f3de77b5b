// c_api/th/io/file_exports.h: the functions of every THFile.
#define TH_FILE_TYPE(Real, real, accreal)                                                                              \
    TH_EXPORT(real, THFile_read##Real##Scalar, ::th::read_scalar<real>, THFile *)                                      \
    TH_EXPORT(void, THFile_write##Real##Scalar, ::th::write_scalar<real>, THFile *, real)                              \
    TH_EXPORT(size_t, THFile_read##Real, ::th::read_storage<real>, THFile *, TH##Real##Storage *)                      \
    TH_EXPORT(size_t, THFile_write##Real, ::th::write_storage<real>, THFile *, TH##Real##Storage *)                    \
    TH_EXPORT(size_t, THFile_read##Real##Raw, ::th::read_raw<real>, THFile *, real *, size_t)                          \
    TH_EXPORT(size_t, THFile_write##Real##Raw, ::th::write_raw<real>, THFile *, real *, size_t)
TH_EVERY_TYPE(TH_FILE_TYPE)
#undef TH_FILE_TYPE

TH_EXPORT(size_t, THFile_readStringRaw, ::th::read_string, THFile *, const char *, char **)
TH_EXPORT(size_t, THFile_writeStringRaw, ::th::write_string, THFile *, const char *, size_t)

TH_EXPORT(int, THFile_isOpened, ::th::is_opened, THFile *)
TH_EXPORT(int, THFile_isQuiet, ::th::get_flag<&THFile__::quiet>, THFile *)
TH_EXPORT(int, THFile_isReadable, ::th::get_flag<&THFile__::readable>, THFile *)
TH_EXPORT(int, THFile_isWritable, ::th::get_flag<&THFile__::writable>, THFile *)
TH_EXPORT(int, THFile_isBinary, ::th::get_flag<&THFile__::binary>, THFile *)
TH_EXPORT(int, THFile_isAutoSpacing, ::th::get_flag<&THFile__::auto_spacing>, THFile *)
TH_EXPORT(int, THFile_hasError, ::th::get_flag<&THFile__::failed>, THFile *)

#define TH_FILE_FLAG(name, flag, value)                                                                                \
    void THFile_##name(THFile *self) { ::th::set_flag<&THFile__::flag, value>(self); }
TH_FILE_FLAG(binary, binary, true)
TH_FILE_FLAG(ascii, binary, false)
TH_FILE_FLAG(autoSpacing, auto_spacing, true)
TH_FILE_FLAG(noAutoSpacing, auto_spacing, false)
TH_FILE_FLAG(quiet, quiet, true)
TH_FILE_FLAG(pedantic, quiet, false)
TH_FILE_FLAG(clearError, failed, false)
#undef TH_FILE_FLAG

TH_EXPORT(void, THFile_synchronize, ::th::synchronize, THFile *)
TH_EXPORT(void, THFile_seek, ::th::seek, THFile *, size_t)
TH_EXPORT(void, THFile_seekEnd, ::th::seek_end, THFile *)
TH_EXPORT(size_t, THFile_position, ::th::tell, THFile *)
TH_EXPORT(void, THFile_close, ::th::close_file, THFile *)
TH_EXPORT(void, THFile_free, ::th::free_file, THFile *)
