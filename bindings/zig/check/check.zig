// bindings/zig/check/check.zig: the test program: vectors DIR, marks, threads, time, version.
const std = @import("std");
const my_lib = @import("my_lib");
const threads = @import("threads.zig");
const vectors = @import("vectors.zig");

const MARK = 1234.5;

pub fn main() !void {
    var arena = std.heap.ArenaAllocator.init(std.heap.page_allocator);
    defer arena.deinit();
    const allocator = arena.allocator();
    const arguments = try std.process.argsAlloc(allocator);
    const what = if (arguments.len > 1) arguments[1] else "";

    var buffer: [4096]u8 = undefined;
    var file = std.fs.File.stdout().writerStreaming(&buffer);
    const out = &file.interface;
    if (std.mem.eql(u8, what, "vectors") and arguments.len == 3) {
        const counts = try vectors.run(allocator, arguments[2]);
        try out.print("vectors {d}\nerrors {d}\n", .{ counts.cases, counts.errors });
    } else if (std.mem.eql(u8, what, "marks")) {
        try out.print("marks {d}\n", .{try marks(allocator)});
    } else if (std.mem.eql(u8, what, "threads")) {
        try out.print("threads {d}\n", .{try threads.run()});
    } else if (std.mem.eql(u8, what, "time")) {
        try out.print("time {d:.2}\n", .{try time()});
    } else if (std.mem.eql(u8, what, "version")) {
        try out.print("version {s}\n", .{my_lib.version()});
    } else {
        std.debug.print("expected vectors DIR, marks, threads, time or version, got {s}\n", .{what});
        return error.UnknownArgument;
    }
    try out.flush();
}

/// How many arrays show the mark that the stand-in library wrote: one that was copied does not.
fn marks(allocator: std.mem.Allocator) !usize {
    var workspace = my_lib.Workspace.init(allocator);
    var arrays = Arrays{ .allocator = allocator };

    try my_lib.addForward(try arrays.in(&.{ 2, 3 }), try arrays.in(&.{ 2, 3 }), try arrays.out(&.{ 2, 3 }));
    try my_lib.linearForward(
        try arrays.in(&.{ 2, 3 }),
        try arrays.in(&.{ 4, 3 }),
        try arrays.in(&.{4}),
        try arrays.out(&.{ 2, 4 }),
        &workspace,
    );
    try my_lib.lltmForward(.{
        .input = try arrays.in(&.{ 3, 5 }),
        .weights = try arrays.in(&.{ 12, 9 }),
        .bias = try arrays.in(&.{12}),
        .old_h = try arrays.in(&.{ 3, 4 }),
        .old_cell = try arrays.in(&.{ 3, 4 }),
    }, .{
        .h = try arrays.out(&.{ 3, 4 }),
        .cell = try arrays.out(&.{ 3, 4 }),
        .gates = try arrays.out(&.{ 3, 12 }),
    }, &workspace);
    try my_lib.lltmSequenceForward(.{
        .input = try arrays.in(&.{ 2, 3, 5 }),
        .weights = try arrays.in(&.{ 12, 9 }),
        .bias = try arrays.in(&.{12}),
        .old_h = try arrays.in(&.{ 3, 4 }),
        .old_cell = try arrays.in(&.{ 3, 4 }),
    }, .{
        .h = try arrays.out(&.{ 2, 3, 4 }),
        .cell = try arrays.out(&.{ 2, 3, 4 }),
        .gates = try arrays.out(&.{ 2, 3, 12 }),
    }, &workspace);

    for (arrays.all.items, 0..) |array, i| {
        if (array[0] != MARK) {
            std.debug.print("array {d}: expected the mark {d}, got {d}\n", .{ i, MARK, array[0] });
            return error.NoMark;
        }
    }
    return arrays.all.items.len;
}

const Arrays = struct {
    allocator: std.mem.Allocator,
    all: std.ArrayList([]f32) = .empty,

    fn out(arrays: *Arrays, shape: []const usize) !my_lib.MutView {
        var count: usize = 1;
        for (shape) |size| count *= size;
        const data = try arrays.allocator.alloc(f32, count);
        @memset(data, 0);
        try arrays.all.append(arrays.allocator, data);
        return .{ .data = data, .shape = shape };
    }

    fn in(arrays: *Arrays, shape: []const usize) !my_lib.View {
        const array = try arrays.out(shape);
        return .{ .data = array.data, .shape = array.shape };
    }
};

/// Nanoseconds of one addition of 25 floats.
fn time() !f64 {
    const loops = 1000;
    const calls = 1000; // of one loop: about 20 us, so that some are not interrupted
    const a = [_]f32{1.5} ** 25;
    const b = [_]f32{2.5} ** 25;
    var sum = [_]f32{0} ** 25;
    const input1 = my_lib.View{ .data = &a, .shape = &.{25} };
    const input2 = my_lib.View{ .data = &b, .shape = &.{25} };
    const output = my_lib.MutView{ .data = &sum, .shape = &.{25} };
    var timer = try std.time.Timer.start();
    var least: u64 = std.math.maxInt(u64);
    for (0..loops) |_| {
        timer.reset();
        for (0..calls) |_| try my_lib.addForward(input1, input2, output);
        least = @min(least, timer.read());
    }
    for (sum) |value| if (value != 4) return error.WrongValue;
    return @as(f64, @floatFromInt(least)) / calls;
}
