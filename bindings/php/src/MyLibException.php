<?php

// bindings/php/src/MyLibException.php: what every function throws.

declare(strict_types=1);

namespace MyLib;

/** A failure: getCode() is one of MY_LIB_ERROR_*, $name its name; getMessage() names the argument. */
final class MyLibException extends \RuntimeException
{
    public readonly string $name;

    public function __construct(int $code, string $message)
    {
        parent::__construct($message, $code);
        $this->name = Library::ffi()->my_lib_error_name($code);
    }
}
