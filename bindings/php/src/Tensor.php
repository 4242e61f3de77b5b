<?php

// bindings/php/src/Tensor.php: an array of floats with a shape, and the checks of shapes.

declare(strict_types=1);

namespace MyLib;

use FFI;
use FFI\CData;
use FFI\CType;

/** Contiguous, row-major. Elements are $data[0] to $data[$count - 1]; without elements $data is null. */
final class Tensor
{
    public readonly int $count;
    public readonly int $ndim;
    public readonly ?CData $data;
    /** @internal The shape for C. */
    public readonly ?CData $sizes;

    /**
     * @param int[] $shape
     * @param array|string|CData|null $values numbers, which are copied; bytes of floats, which are copied; floats of
     *     FFI (float[count]), which are used as they are; null for zeros
     */
    public function __construct(public readonly array $shape, array|string|CData|null $values = null)
    {
        $ffi = Library::ffi();
        $count = 1;
        foreach ($shape as $size) {
            if (!is_int($size) || $size < 0) {
                $got = is_int($size) ? $size : get_debug_type($size);
                throw new MyLibException($ffi->MY_LIB_ERROR_INVALID_SIZE, "shape: expected integers >= 0, got $got");
            }
            $count *= $size;
        }
        if (!is_int($count)) {
            $text = self::text($shape);
            throw new MyLibException($ffi->MY_LIB_ERROR_SIZE_OVERFLOW, "shape: expected fewer elements, got $text");
        }
        $this->count = $count;
        $this->ndim = count($shape);
        $this->checkValues($values);
        $this->data = $values instanceof CData ? $values : ($count ? $ffi->new("float[$count]") : null);
        if (is_array($values)) {
            $i = 0;
            foreach ($values as $value) {
                if (!is_int($value) && !is_float($value)) { // FFI would take it for some number
                    $got = get_debug_type($value);
                    throw new MyLibException($ffi->MY_LIB_ERROR_INVALID_VALUE, "values: expected numbers, got $got");
                }
                $this->data[$i++] = $value;
            }
        } elseif (is_string($values) && $count) {
            FFI::memcpy($this->data, $values, 4 * $count);
        }
        $this->sizes = $shape ? $ffi->new("int64_t[$this->ndim]") : null;
        foreach (array_values($shape) as $i => $size) {
            $this->sizes[$i] = $size;
        }
    }

    /** The elements as numbers of PHP. */
    public function toArray(): array
    {
        return array_values(unpack('g*', $this->toBytes()));
    }

    /** The elements as bytes, four each, little-endian. */
    public function toBytes(): string
    {
        return $this->count ? FFI::string(FFI::cast('char *', FFI::addr($this->data)), 4 * $this->count) : '';
    }

    private function checkValues(array|string|CData|null $values): void
    {
        $given = match (true) {
            is_array($values) => count($values),
            is_string($values) => strlen($values) / 4,
            $values instanceof CData => self::lengthOf(FFI::typeof($values)),
            default => $this->count,
        };
        if ($given != $this->count) {
            throw new MyLibException(
                Library::ffi()->MY_LIB_ERROR_SHAPE_MISMATCH,
                'values: expected the elements of shape ' . self::text($this->shape) . ", got $given elements"
            );
        }
    }

    private static function lengthOf(CType $type): int
    {
        $isArray = $type->getKind() === CType::TYPE_ARRAY;
        if (!$isArray || $type->getArrayElementType()->getKind() !== CType::TYPE_FLOAT) {
            $message = "values: expected an array of floats, got {$type->getName()}";
            throw new MyLibException(Library::ffi()->MY_LIB_ERROR_INVALID_VALUE, $message);
        }
        return $type->getArrayLength();
    }

    private static function text(array $shape): string
    {
        return '(' . implode(', ', $shape) . (count($shape) === 1 ? ',)' : ')');
    }

    /** @internal Throws unless this tensor, the argument $name, has the shape. */
    public function expect(string $name, int ...$shape): void
    {
        if ($this->shape !== $shape) {
            $message = "$name: expected shape " . self::text($shape) . ', got ' . self::text($this->shape);
            throw new MyLibException(Library::ffi()->MY_LIB_ERROR_SHAPE_MISMATCH, $message);
        }
    }

    /** @internal The sizes of the argument $name, which has $ndim of them. */
    public function sizes(string $name, int $ndim): array
    {
        if ($this->ndim !== $ndim) {
            $message = "$name: expected $ndim dimensions, got shape " . self::text($this->shape);
            throw new MyLibException(Library::ffi()->MY_LIB_ERROR_SHAPE_MISMATCH, $message);
        }
        return $this->shape;
    }
}
