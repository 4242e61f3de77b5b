// bindings/zig/check/threads.zig: 8 threads at once: large calls that OpenMP shares, small ones, and errors.
const std = @import("std");
const my_lib = @import("my_lib");

const THREADS = 8;
const ROUNDS = 25;
const SMALL_CALLS = 200; // of one round
const SIZE = 256;

/// How many calls were made.
pub fn run() !usize {
    var all: [THREADS]std.Thread = undefined;
    var results: [THREADS]anyerror!usize = undefined;
    for (0..THREADS) |i| all[i] = try std.Thread.spawn(.{}, store, .{ i, &results[i] });
    for (all) |thread| thread.join();
    var calls: usize = 0;
    for (results) |result| calls += try result;
    return calls;
}

fn store(number: usize, result: *anyerror!usize) void {
    result.* = work(number);
}

/// All values are small integers, so that sums are exact.
fn work(number: usize) !usize {
    const allocator = std.heap.smp_allocator;
    const arrays = try allocator.alloc(f32, 4 * SIZE * SIZE);
    defer allocator.free(arrays);
    const input, const weight = .{ arrays[0 .. SIZE * SIZE], arrays[SIZE * SIZE ..][0 .. SIZE * SIZE] };
    const output, const expected = .{ arrays[2 * SIZE * SIZE ..][0 .. SIZE * SIZE], arrays[3 * SIZE * SIZE ..] };
    for (input, weight, 0..) |*x, *w, i| {
        x.* = @floatFromInt((i / SIZE + i) % 7);
        w.* = @floatFromInt((i / SIZE * 3 + i) % 5);
    }
    const own: f32 = @floatFromInt(number);
    const bias = [_]f32{own} ** SIZE;
    for (expected, 0..) |*value, i| {
        value.* = own;
        for (input[i / SIZE * SIZE ..][0..SIZE], weight[i % SIZE * SIZE ..][0..SIZE]) |x, w| value.* += x * w;
    }

    var workspace = my_lib.Workspace.init(allocator);
    defer workspace.deinit();
    const small = [_]f32{own} ** 6;
    const input1 = my_lib.View{ .data = &small, .shape = &.{ 2, 3 } };
    const other = my_lib.View{ .data = expected[0 .. 2 * (number + 4)], .shape = &.{ 2, number + 4 } };
    var sum: [6]f32 = undefined;
    const result = my_lib.MutView{ .data = &sum, .shape = &.{ 2, 3 } };
    var buffer: [80]u8 = undefined;
    const wanted = try std.fmt.bufPrint(&buffer, "input2: expected shape (2, 3), got (2, {d})", .{number + 4});
    var calls: usize = 0;
    for (0..ROUNDS) |_| {
        @memset(output, std.math.nan(f32));
        try my_lib.linearForward(
            .{ .data = input, .shape = &.{ SIZE, SIZE } },
            .{ .data = weight, .shape = &.{ SIZE, SIZE } },
            .{ .data = &bias, .shape = &.{SIZE} },
            .{ .data = output, .shape = &.{ SIZE, SIZE } },
            &workspace,
        );
        if (!std.mem.eql(f32, output, expected)) return error.WrongValue;
        for (0..SMALL_CALLS) |_| {
            try my_lib.addForward(input1, input1, result);
            if (my_lib.addForward(input1, other, result)) |_| return error.ExpectedAnError else |_| {}
            if (!std.mem.eql(u8, my_lib.lastFailure().message, wanted)) return error.WrongMessage;
            for (sum) |value| if (value != 2 * own) return error.WrongValue;
        }
        calls += 1 + 2 * SMALL_CALLS;
    }
    return calls;
}
