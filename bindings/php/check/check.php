<?php

// bindings/php/check/check.php: the test program: vectors DIR, marks, threads, time, version.

declare(strict_types=1);

require __DIR__ . '/../autoload.php';

use MyLib\{Add, Library, Linear, Lltm, MyLibException, Tensor};

function expect(string $what, mixed $got, mixed $expected): void
{
    if ($got !== $expected) {
        throw new Exception("$what: expected " . json_encode($expected) . ', got ' . json_encode($got));
    }
}

// ---- vectors ----

const FUNCTIONS = [
    'add_forward' => [Add::class, 'forward'],
    'add_backward' => [Add::class, 'backward'],
    'linear_forward' => [Linear::class, 'forward'],
    'linear_backward' => [Linear::class, 'backward'],
    'lltm_forward' => [Lltm::class, 'forward'],
    'lltm_backward' => [Lltm::class, 'backward'],
    'lltm_sequence_forward' => [Lltm::class, 'sequenceForward'],
    'lltm_sequence_backward' => [Lltm::class, 'sequenceBackward'],
];

/** The entries of index.txt. The shape of an array that is absent is null. */
function readIndex(string $path): array
{
    $entries = [];
    foreach (file($path, FILE_IGNORE_NEW_LINES) as $line) {
        $fields = explode(' ', $line);
        switch ($fields[0]) {
            case 'case':
            case 'error':
                $entry = ['kind' => $fields[0], 'head' => array_slice($fields, 1), 'sizes' => [], 'arrays' => []];
                break;
            case 'size':
                $entry['sizes'][] = (int) $fields[2];
                break;
            case 'in':
            case 'out':
                $shape = $fields[2] === '-1' ? null : array_map('intval', array_slice($fields, 3));
                $entry['arrays'][$fields[1]] = ['shape' => $shape, 'isOutput' => $fields[0] === 'out'];
                break;
            case 'text':
                $entry['text'] = substr($line, strlen('text '));
                break;
            case 'end':
                $entries[] = $entry;
        }
    }
    return $entries;
}

function replay(string $folder, array $entry): void
{
    [$name, $function, $file, $rtol, $atol] = $entry['head'];
    $bytes = file_get_contents("$folder/$file");
    $arguments = $expected = [];
    $offset = 0;
    foreach ($entry['arrays'] as $key => ['shape' => $shape, 'isOutput' => $isOutput]) {
        if ($shape === null) {
            $arguments[$key] = null;
            continue;
        }
        $count = array_product($shape);
        $values = substr($bytes, $offset, 4 * $count);
        $offset += 4 * $count;
        $arguments[$key] = new Tensor($shape, $isOutput ? array_fill(0, $count, NAN) : $values);
        if ($isOutput) {
            $expected[$key] = array_values(unpack('g*', $values));
        }
    }
    expect("$name: bytes", strlen($bytes), $offset);
    call_user_func_array(FUNCTIONS[$function], $arguments);
    foreach ($expected as $key => $values) {
        $got = $arguments[$key]->toArray();
        expect("$name: $key: elements", count($got), count($values));
        foreach ($values as $i => $value) {
            if (!(abs($got[$i] - $value) <= (float) $atol + (float) $rtol * abs($value))) {
                throw new Exception("$name: {$key}[$i]: expected $value, got $got[$i]");
            }
        }
    }
}

/** [code, name, message] of the last error of C, which a call must have reported. */
function lastError(int $status): array
{
    expect('status', $status, 0);
    $ffi = Library::ffi();
    $code = $ffi->my_lib_last_error_code();
    return [$code, $ffi->my_lib_error_name($code), $ffi->my_lib_last_error_message()];
}

function provoke(array $entry): void
{
    [$name, , $code, $error] = $entry['head'];
    $arrays = array_map(fn ($array) => new Tensor($array['shape']), array_values($entry['arrays']));
    $data = array_map(fn ($tensor) => $tensor->data, $arrays);
    $ffi = Library::ffi();
    switch ($name) {
        case 'add_forward-shapes':
            try {
                Add::forward(...$arrays);
                $got = null;
            } catch (MyLibException $failure) {
                $got = [$failure->getCode(), $failure->name, $failure->getMessage()];
            }
            break;
        case 'linear_forward-negative':
            $got = lastError($ffi->my_lib_linear_forward(null, null, null, ...$entry['sizes'], ...[null, null, 0]));
            break;
        case 'lltm_forward-workspace':
            [$batch, , $state_size] = $entry['sizes'];
            $outputs = [(new Tensor([$batch, $state_size]))->data, (new Tensor([$batch, $state_size]))->data,
                        (new Tensor([$batch, 3 * $state_size]))->data];
            $got = lastError($ffi->lltm_forward(...$data, ...$entry['sizes'], ...$outputs, ...[null, 0]));
            break;
        default:
            throw new Exception("$name: an error that this program does not know");
    }
    expect($name, $got, [(int) $code, $error, $entry['text']]);
}

function vectors(string $folder): void
{
    $counts = ['case' => 0, 'error' => 0];
    foreach (readIndex("$folder/index.txt") as $entry) {
        $entry['kind'] === 'case' ? replay($folder, $entry) : provoke($entry);
        $counts[$entry['kind']]++;
    }
    echo "vectors {$counts['case']}\nerrors {$counts['error']}\n";
}

// ---- marks: whether C gets these very arrays ----

function marks(): void
{
    $count = 0;
    $shapes = [
        'add_forward' => [[2, 3], [2, 3], [2, 3]],
        'linear_forward' => [[2, 3], [4, 3], [4], [2, 4]],
        'lltm_forward' => [[3, 5], [12, 9], [12], [3, 4], [3, 4], [3, 4], [3, 4], [3, 12]],
        'lltm_sequence_forward' =>
            [[2, 3, 5], [12, 9], [12], [3, 4], [3, 4], [2, 3, 4], [2, 3, 4], [2, 3, 12]],
    ];
    foreach ($shapes as $function => $list) {
        $own = $arrays = [];
        foreach ($list as $shape) {
            $own[] = $floats = FFI::new('float[' . array_product($shape) . ']');
            $arrays[] = new Tensor($shape, $floats);
        }
        call_user_func_array(FUNCTIONS[$function], $arrays);
        foreach ($own as $i => $floats) {
            expect("$function: array $i", $floats[0], 1234.5);
            $count++;
        }
    }
    echo "marks $count\n";
}

// ---- threads: PHP has one, so 8 forked children, after a large call that OpenMP has shared ----

const SIZE = 256;

/** All values are small integers, so that sums are exact. */
function inputs(): array
{
    $input = $weight = $sums = [];
    for ($i = 0; $i < SIZE * SIZE; $i++) {
        $input[] = $i % 7;
        $weight[] = $i % 5;
    }
    for ($row = 0; $row < SIZE; $row++) {
        for ($column = 0; $column < SIZE; $column++) {
            $sum = 0;
            for ($k = 0; $k < SIZE; $k++) {
                $sum += $input[$row * SIZE + $k] * $weight[$column * SIZE + $k];
            }
            $sums[] = $sum;
        }
    }
    return [new Tensor([SIZE, SIZE], $input), new Tensor([SIZE, SIZE], $weight), $sums];
}

function work(int $number, int $rounds, array $inputs): int
{
    $smallCalls = 200;
    [$input, $weight, $sums] = $inputs;
    $bias = new Tensor([SIZE], array_fill(0, SIZE, $number));
    $expected = pack('g*', ...array_map(fn ($sum) => $sum + $number, $sums));
    $small = new Tensor([2, 3], array_fill(0, 6, $number));
    $other = new Tensor([2, $number + 4]);
    $message = 'input2: expected shape (2, 3), got (2, ' . ($number + 4) . ')';
    for ($round = 0; $round < $rounds; $round++) {
        if (Linear::forward($input, $weight, $bias)->toBytes() !== $expected) {
            throw new Exception('linear_forward: wrong values');
        }
        for ($i = 0; $i < $smallCalls; $i++) {
            expect('add_forward', Add::forward($small, $small)->toArray(), array_fill(0, 6, 2.0 * $number));
            try {
                Add::forward($small, $other);
                throw new Exception('add_forward: expected a failure');
            } catch (MyLibException $failure) {
                expect('add_forward', $failure->getMessage(), $message);
            }
        }
    }
    return $rounds * (1 + 2 * $smallCalls);
}

function threads(): void
{
    $rounds = 10;
    $inputs = inputs();
    $calls = work(0, $rounds, $inputs);
    $children = [];
    for ($number = 1; $number <= 8; $number++) {
        $child = pcntl_fork();
        if ($child === 0) {
            try {
                work($number, $rounds, $inputs);
                exit(0);
            } catch (Exception $failure) {
                fwrite(STDERR, "child $number: {$failure->getMessage()}\n");
                exit(1);
            }
        }
        $children[] = $child;
    }
    $statuses = array_map(function (int $child): int {
        pcntl_waitpid($child, $status);
        return $status;
    }, $children);
    expect('children', $statuses, array_fill(0, 8, 0));
    echo 'threads ', 9 * $calls, "\n";
}

// ---- time ----

function time_of_a_call(): void
{
    $loops = 1000;
    $calls = 100; // a loop takes less than 0.5 ms
    [$input1, $input2] = [new Tensor([25], array_fill(0, 25, 1.5)), new Tensor([25], array_fill(0, 25, 2.5))];
    $output = new Tensor([25]);
    $least = PHP_INT_MAX;
    for ($loop = 0; $loop < $loops; $loop++) {
        $start = hrtime(true);
        for ($i = 0; $i < $calls; $i++) {
            Add::forward($input1, $input2, $output);
        }
        $least = min($least, hrtime(true) - $start);
    }
    expect('add_forward', $output->toArray(), array_fill(0, 25, 4.0));
    printf("time %.1f\n", $least / $calls);
}

// ---- ----

try {
    match ($argv[1] ?? null) {
        'vectors' => vectors($argv[2]),
        'marks' => marks(),
        'threads' => threads(),
        'time' => time_of_a_call(),
        'version' => print('version ' . Library::version() . "\n"),
        default => throw new Exception('expected vectors DIR, marks, threads, time or version'),
    };
} catch (Throwable $failure) {
    fwrite(STDERR, "{$failure->getMessage()}\n");
    exit(1);
}
