// bindings/zig/src/test.zig: what is refused before C is called, and what C refuses.
const std = @import("std");
const my_lib = @import("my_lib.zig");

fn expectFailure(expected: my_lib.AllError, message: []const u8, result: my_lib.AllError!void) !void {
    try std.testing.expectError(expected, result);
    try std.testing.expectEqualStrings(message, my_lib.lastFailure().message);
}

const ones = [_]f32{1} ** 64;
var written = [_]f32{0} ** 64;

fn view(comptime shape: []const usize) my_lib.View {
    comptime var count = 1;
    inline for (shape) |size| count *= size;
    return .{ .data = ones[0..count], .shape = shape };
}

fn output(comptime shape: []const usize) my_lib.MutView {
    return .{ .data = written[0..view(shape).data.len], .shape = shape };
}

test "shapes of add" {
    const mismatch = error.ShapeMismatch;
    const a = view(&.{ 2, 3 });
    try expectFailure(mismatch, "input2: expected shape (2, 3), got (3, 2)", my_lib.addForward(a, view(&.{ 3, 2 }), output(&.{ 2, 3 })));
    try expectFailure(mismatch, "output: expected shape (2, 3), got (6,)", my_lib.addForward(a, a, output(&.{6})));
    try expectFailure(mismatch, "grad_input2: expected shape (2, 3), got ()", my_lib.addBackward(a, .{ .grad_input2 = output(&.{}) }));
    const wrong = my_lib.View{ .data = ones[0..5], .shape = &.{ 2, 3 } };
    try expectFailure(mismatch, "input1: expected the elements of shape (2, 3), got 5 elements", my_lib.addForward(wrong, a, output(&.{ 2, 3 })));
    const overflows = my_lib.View{ .data = ones[0..0], .shape = &.{ 1 << 63, 2 } };
    try expectFailure(mismatch, "input1: expected the elements of shape (9223372036854775808, 2), got 0 elements", my_lib.addForward(overflows, a, output(&.{ 2, 3 })));
    const empty = my_lib.View{ .data = ones[0..0], .shape = &.{ 1 << 63, 2, 0 } };
    try std.testing.expectError(error.InvalidSize, my_lib.addForward(empty, empty, .{ .data = written[0..0], .shape = empty.shape }));
}

test "shapes of linear and LLTM" {
    var workspace = my_lib.Workspace.init(std.testing.allocator);
    defer workspace.deinit();
    const mismatch = error.ShapeMismatch;
    try expectFailure(mismatch, "input: expected 2 dimensions, got shape (3,)", my_lib.linearForward(view(&.{3}), view(&.{ 2, 3 }), null, output(&.{ 1, 2 }), &workspace));
    try expectFailure(mismatch, "weight: expected shape (2, 3), got (2, 4)", my_lib.linearForward(view(&.{ 2, 3 }), view(&.{ 2, 4 }), null, output(&.{ 2, 2 }), &workspace));
    try expectFailure(mismatch, "bias: expected shape (2,), got (3,)", my_lib.linearForward(view(&.{ 2, 3 }), view(&.{ 2, 3 }), view(&.{3}), output(&.{ 2, 2 }), &workspace));
    try expectFailure(error.NullPointer, "input: expected an array, got NULL", my_lib.linearBackward(.{ .grad_output = view(&.{ 2, 2 }), .weight = view(&.{ 2, 3 }) }, .{ .grad_weight = output(&.{ 2, 3 }) }, &workspace));
    const inputs = my_lib.LltmInputs{
        .input = view(&.{ 2, 2 }),
        .weights = view(&.{ 6, 4 }),
        .bias = view(&.{6}),
        .old_h = view(&.{ 2, 2 }),
        .old_cell = view(&.{ 2, 3 }),
    };
    const outputs = my_lib.LltmOutputs{ .h = output(&.{ 2, 2 }), .cell = output(&.{ 2, 2 }) };
    try expectFailure(mismatch, "old_cell: expected shape (2, 2), got (2, 3)", my_lib.lltmForward(inputs, outputs, &workspace));
    try std.testing.expectEqual(0, workspace.bytes.len);
}

test "number of threads" {
    try expectFailure(error.InvalidValue, "num_threads: expected at least 0, got -1", my_lib.setNumThreads(-1));
    try std.testing.expectEqualStrings("MY_LIB_ERROR_INVALID_VALUE", my_lib.lastFailure().name);
}
