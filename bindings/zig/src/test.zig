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
    const a = view(&.{ 2, 3 });
    const sum = output(&.{ 2, 3 });
    var message: []const u8 = "input2: expected shape (2, 3), got (3, 2)";
    try expectFailure(error.ShapeMismatch, message, my_lib.addForward(a, view(&.{ 3, 2 }), sum));
    message = "output: expected shape (2, 3), got (6,)";
    try expectFailure(error.ShapeMismatch, message, my_lib.addForward(a, a, output(&.{6})));
    message = "grad_input2: expected shape (2, 3), got ()";
    try expectFailure(error.ShapeMismatch, message, my_lib.addBackward(a, .{ .grad_input2 = output(&.{}) }));

    const short = my_lib.View{ .data = ones[0..5], .shape = &.{ 2, 3 } };
    message = "input1: expected the elements of shape (2, 3), got 5 elements";
    try expectFailure(error.ShapeMismatch, message, my_lib.addForward(short, a, sum));
    message = "input2: expected the elements of shape (2, 3), got 5 elements";
    try expectFailure(error.ShapeMismatch, message, my_lib.addForward(a, short, sum));
    message = "output: expected the elements of shape (2, 3), got 5 elements";
    const short_sum = my_lib.MutView{ .data = written[0..5], .shape = &.{ 2, 3 } };
    try expectFailure(error.ShapeMismatch, message, my_lib.addForward(a, a, short_sum));
    const overflows = my_lib.View{ .data = ones[0..0], .shape = &.{ 1 << 63, 2 } };
    message = "input1: expected the elements of shape (9223372036854775808, 2), got 0 elements";
    try expectFailure(error.ShapeMismatch, message, my_lib.addForward(overflows, a, sum));
    const negative = my_lib.View{ .data = ones[0..0], .shape = &.{ 1 << 63, 0 } };
    const none = my_lib.MutView{ .data = written[0..0], .shape = negative.shape };
    try std.testing.expectError(error.InvalidSize, my_lib.addForward(negative, negative, none));
}

test "shapes of linear and LLTM" {
    var workspace = my_lib.Workspace.init(std.testing.allocator);
    defer workspace.deinit();
    const input = view(&.{ 2, 3 });
    const y = output(&.{ 2, 2 });
    var message: []const u8 = "input: expected 2 dimensions, got shape (3,)";
    try expectFailure(error.ShapeMismatch, message, my_lib.linearForward(view(&.{3}), input, null, y, &workspace));
    message = "weight: expected shape (2, 3), got (2, 4)";
    try expectFailure(error.ShapeMismatch, message, my_lib.linearForward(input, view(&.{ 2, 4 }), null, y, &workspace));
    message = "bias: expected shape (2,), got (3,)";
    try expectFailure(error.ShapeMismatch, message, my_lib.linearForward(input, input, view(&.{3}), y, &workspace));
    message = "input: expected an array, got NULL";
    const inputs = my_lib.LinearInputs{ .grad_output = view(&.{ 2, 2 }), .weight = input };
    const gradients = my_lib.LinearGradients{ .grad_weight = output(&.{ 2, 3 }) };
    try expectFailure(error.NullPointer, message, my_lib.linearBackward(inputs, gradients, &workspace));

    const step = my_lib.LltmInputs{
        .input = view(&.{ 2, 2 }),
        .weights = view(&.{ 6, 4 }),
        .bias = view(&.{6}),
        .old_h = view(&.{ 2, 2 }),
        .old_cell = input,
    };
    message = "old_cell: expected shape (2, 2), got (2, 3)";
    try expectFailure(error.ShapeMismatch, message, my_lib.lltmForward(step, .{ .h = y, .cell = y }, &workspace));
}

test "number of threads" {
    try expectFailure(error.InvalidValue, "num_threads: expected at least 0, got -1", my_lib.setNumThreads(-1));
    try std.testing.expectEqualStrings("MY_LIB_ERROR_INVALID_VALUE", my_lib.lastFailure().name);
}
