<?php

// bindings/php/src/Library.php: the loaded library: version, threads, status of a call, workspace.

declare(strict_types=1);

namespace MyLib;

use FFI;
use FFI\CData;

final class Library
{
    private const SIZE_MAX = -1; // as PHP's integers show it

    private static ?FFI $ffi = null;
    private static ?CData $workspace = null;
    private static int $workspaceSize = 0;

    /** The C functions: of the file that the environment variable MY_LIB names, else where the loader looks. */
    public static function ffi(): FFI
    {
        return self::$ffi ??= FFI::cdef(require __DIR__ . '/declarations.php', getenv('MY_LIB') ?: 'libmy_lib.so.1');
    }

    /** The version of the loaded library, "major.minor.patch". */
    public static function version(): string
    {
        return self::ffi()->my_lib_version();
    }

    /** One line: version, CPU path, OpenMP run-time. */
    public static function buildInfo(): string
    {
        return self::ffi()->my_lib_build_info();
    }

    /** How many threads a call may use, in the whole process; 0 follows OpenMP's own number. */
    public static function setNumThreads(int $count): void
    {
        self::check(self::ffi()->my_lib_set_num_threads($count));
    }

    public static function numThreads(): int
    {
        return self::ffi()->my_lib_get_num_threads();
    }

    /** @internal Throws what C reported, unless the status is success. */
    public static function check(int $status): void
    {
        if ($status !== 1) {
            $ffi = self::ffi();
            throw new MyLibException($ffi->my_lib_last_error_code(), $ffi->my_lib_last_error_message());
        }
    }

    /**
     * @internal [workspace, its size] of at least as many bytes as a *_workspace_size function said. There is one,
     * which grows: a process of PHP makes one call at a time, and with threads each has static properties of its own.
     */
    public static function workspace(int $needed): array
    {
        if ($needed === self::SIZE_MAX) {
            self::check(0);
        }
        if ($needed > self::$workspaceSize) {
            self::$workspace = self::ffi()->new("uint8_t[$needed]");
            self::$workspaceSize = $needed;
        }
        return [self::$workspace, self::$workspaceSize];
    }
}
