<?php

// bindings/php/autoload.php: finds the classes as Composer does, for programs without Composer.

declare(strict_types=1);

spl_autoload_register(function (string $class): void {
    if (str_starts_with($class, 'MyLib\\')) {
        require __DIR__ . '/src/' . substr($class, strlen('MyLib\\')) . '.php';
    }
});
