// bindings/zig/src/my_lib.zig: libmy_lib for Zig: the operators on slices with shapes.
//! Arrays are a slice of f32, contiguous and row-major, and the slice of their sizes. Nothing is copied or kept.
//! Outputs are overwritten; a gradient that is null is not computed. Shapes are compared before C is called. Every
//! function may be called from any number of threads at once; each thread needs a Workspace of its own.
//!
//! Errors of Zig have no text: lastFailure() says which argument was wrong, what was expected and what came.
const std = @import("std");

pub const c = @import("my_lib_c.zig");

// ---- Errors ----

pub const Error = error{
    NullPointer,
    UnalignedPointer,
    InvalidSize,
    SizeOverflow,
    ShapeMismatch,
    InvalidValue,
    WorkspaceTooSmall,
    NoGpu,
    Cuda,
    NotPrepared,
    Unknown,
};

/// Why the last call of this thread that failed did so. The message lies in a buffer of the thread and changes with its
/// next failure.
pub const Failure = struct { code: c_int, name: []const u8, message: []const u8 };

pub fn lastFailure() Failure {
    const code = c.my_lib_last_error_code();
    return .{ .code = code, .name = text(c.my_lib_error_name(code)), .message = text(c.my_lib_last_error_message()) };
}

fn text(of_c: ?[*:0]const u8) []const u8 {
    return std.mem.span(of_c.?);
}

fn errorOf(code: c_int) Error {
    return switch (code) {
        c.MY_LIB_ERROR_NULL_POINTER => error.NullPointer,
        c.MY_LIB_ERROR_UNALIGNED_POINTER => error.UnalignedPointer,
        c.MY_LIB_ERROR_INVALID_SIZE => error.InvalidSize,
        c.MY_LIB_ERROR_SIZE_OVERFLOW => error.SizeOverflow,
        c.MY_LIB_ERROR_SHAPE_MISMATCH => error.ShapeMismatch,
        c.MY_LIB_ERROR_INVALID_VALUE => error.InvalidValue,
        c.MY_LIB_ERROR_WORKSPACE_TOO_SMALL => error.WorkspaceTooSmall,
        c.MY_LIB_ERROR_NO_GPU => error.NoGpu,
        c.MY_LIB_ERROR_CUDA => error.Cuda,
        c.MY_LIB_ERROR_NOT_PREPARED => error.NotPrepared,
        else => error.Unknown,
    };
}

/// After a function of C that returns 1 for success and 0 for failure.
inline fn check(status: c_int) Error!void {
    if (status == 0) return errorOf(c.my_lib_last_error_code());
}

/// An error that is found here is the thread's last failure too.
fn mismatch(comptime format: []const u8, arguments: anytype) Error {
    var buffer: [1024]u8 = undefined;
    const message = std.fmt.bufPrintZ(&buffer, format, arguments) catch "the shapes differ";
    _ = c.my_lib_set_last_error(c.MY_LIB_ERROR_SHAPE_MISMATCH, message.ptr);
    return error.ShapeMismatch;
}

// ---- Arrays ----

/// An input: as many elements as the product of the sizes.
pub const View = struct { data: []const f32, shape: []const usize };

/// An output.
pub const MutView = struct { data: []f32, shape: []const usize };

/// (2, 3), (5,), ().
const Shape = struct {
    sizes: []const usize,

    pub fn format(shape: Shape, writer: *std.Io.Writer) std.Io.Writer.Error!void {
        try writer.writeByte('(');
        for (shape.sizes, 0..) |size, i| try writer.print("{s}{d}", .{ if (i > 0) ", " else "", size });
        try writer.writeAll(if (shape.sizes.len == 1) ",)" else ")");
    }
};

/// The number of elements; null where it does not fit. A size that int64_t cannot hold is refused by C.
inline fn product(shape: []const usize) ?usize {
    var count: usize = 1;
    for (shape) |size| {
        const result, const overflow = @mulWithOverflow(count, size);
        if (overflow != 0) return null;
        count = result;
    }
    return count;
}

inline fn expectCount(name: []const u8, array: anytype) Error!void {
    const count = array.data.len;
    if (product(array.shape) != count or count == 0) return expectEmpty(name, array.shape, count);
}

/// A size of 0 makes an array empty, even where the product of the others does not fit.
fn expectEmpty(name: []const u8, shape: []const usize, count: usize) Error!void {
    @branchHint(.cold);
    if (count == 0 and std.mem.indexOfScalar(usize, shape, 0) != null) return;
    const expected = Shape{ .sizes = shape };
    return mismatch("{s}: expected the elements of shape {f}, got {d} elements", .{ name, expected, count });
}

/// `array` is a View, a MutView, or an optional one.
inline fn expect(name: []const u8, array: anytype, shape: []const usize) Error!void {
    const given = if (@typeInfo(@TypeOf(array)) == .optional) array orelse return else array;
    if (!std.mem.eql(usize, given.shape, shape)) return shapesDiffer(name, shape, given.shape);
    return expectCount(name, given);
}

fn shapesDiffer(name: []const u8, expected: []const usize, got: []const usize) Error {
    @branchHint(.cold);
    return mismatch("{s}: expected shape {f}, got {f}", .{ name, Shape{ .sizes = expected }, Shape{ .sizes = got } });
}

/// The sizes of an array of `dimensions` dimensions.
fn sizesOf(comptime dimensions: usize, name: []const u8, array: View) Error![dimensions]usize {
    if (array.shape.len != dimensions) {
        const got = Shape{ .sizes = array.shape };
        return mismatch("{s}: expected {d} dimensions, got shape {f}", .{ name, dimensions, got });
    }
    try expectCount(name, array);
    return array.shape[0..dimensions].*;
}

/// The pointer of an optional array.
fn pointer(array: anytype) ?@TypeOf(array.?.data.ptr) {
    return if (array) |given| given.data.ptr else null;
}

fn int64(size: usize) i64 {
    return @bitCast(size);
}

fn sizes64(shape: []const usize) [*]const i64 {
    return @ptrCast(shape.ptr);
}

// ---- Workspace ----

/// Memory for intermediate results, which grows when a call needs more and is used again.
pub const Workspace = struct {
    allocator: std.mem.Allocator,
    bytes: []u8 = &.{},

    pub fn init(allocator: std.mem.Allocator) Workspace {
        return .{ .allocator = allocator };
    }

    pub fn deinit(workspace: *Workspace) void {
        workspace.allocator.free(workspace.bytes);
        workspace.bytes = &.{};
    }

    /// At least as many bytes as a *_workspace_size function of C says.
    fn reserve(workspace: *Workspace, needed: usize) (Error || std.mem.Allocator.Error)![]u8 {
        if (needed == std.math.maxInt(usize)) return errorOf(c.my_lib_last_error_code());
        if (workspace.bytes.len < needed) {
            workspace.deinit();
            workspace.bytes = try workspace.allocator.alloc(u8, needed);
        }
        return workspace.bytes;
    }
};

/// Of functions that take a workspace.
pub const AllError = Error || std.mem.Allocator.Error;

// ---- The library ----

/// The version of the loaded library, "major.minor.patch".
pub fn version() []const u8 {
    return text(c.my_lib_version());
}

/// One line: version, CPU path, OpenMP run-time.
pub fn buildInfo() []const u8 {
    return text(c.my_lib_build_info());
}

/// How many threads a call may use, in the whole process; 0 follows OpenMP's own number.
pub fn setNumThreads(count: c_int) Error!void {
    try check(c.my_lib_set_num_threads(count));
}

pub fn numThreads() c_int {
    return c.my_lib_get_num_threads();
}

// ---- Addition ----

/// output = input1 + input2; all of one shape. The output may be one of the inputs.
pub inline fn addForward(input1: View, input2: View, output: MutView) Error!void {
    if (!agree(input1, input2, output)) try expectToAgree(input1, input2, output);
    try check(c.my_lib_add_forward(
        input1.data.ptr,
        sizes64(input1.shape),
        int64(input1.shape.len),
        input2.data.ptr,
        sizes64(input2.shape),
        int64(input2.shape.len),
        output.data.ptr,
    ));
}

/// Three arrays of one shape with elements, found out in one pass: the check must not take longer than the addition.
/// Where the shape of input2 differs, C refuses it.
inline fn agree(input1: View, input2: View, output: MutView) bool {
    if (output.shape.len != input1.shape.len) return false;
    var count: usize = 1;
    for (input1.shape, output.shape) |size, other| {
        const result, const overflow = @mulWithOverflow(count, size);
        if (size != other or overflow != 0) return false;
        count = result;
    }
    return count != 0 and input1.data.len == count and input2.data.len == count and output.data.len == count;
}

fn expectToAgree(input1: View, input2: View, output: MutView) Error!void {
    @branchHint(.cold);
    try expectCount("input1", input1);
    try expectCount("input2", input2);
    try expect("output", output, input1.shape);
}

pub const AddGradients = struct { grad_input1: ?MutView = null, grad_input2: ?MutView = null };

/// grad_input1 = grad_output, grad_input2 = grad_output.
pub fn addBackward(grad_output: View, gradients: AddGradients) Error!void {
    try expectCount("grad_output", grad_output);
    try expect("grad_input1", gradients.grad_input1, grad_output.shape);
    try expect("grad_input2", gradients.grad_input2, grad_output.shape);
    try check(c.my_lib_add_backward(
        grad_output.data.ptr,
        sizes64(grad_output.shape),
        int64(grad_output.shape.len),
        pointer(gradients.grad_input1),
        pointer(gradients.grad_input2),
    ));
}

// ---- Linear ----

/// output = input weight^T + bias: input (batch, in_features), weight (out_features, in_features), bias (out_features),
/// output (batch, out_features).
pub fn linearForward(input: View, weight: View, bias: ?View, output: MutView, workspace: *Workspace) AllError!void {
    const batch, const in_features = try sizesOf(2, "input", input);
    const out_features = (try sizesOf(2, "weight", weight))[0];
    try expect("weight", weight, &.{ out_features, in_features });
    try expect("bias", bias, &.{out_features});
    try expect("output", output, &.{ batch, out_features });
    const sizes = .{ int64(batch), int64(in_features), int64(out_features) };
    const memory = try workspace.reserve(@call(.auto, c.my_lib_linear_forward_workspace_size, sizes));
    const inputs = .{ input.data.ptr, weight.data.ptr, pointer(bias) };
    try check(@call(.auto, c.my_lib_linear_forward, inputs ++ sizes ++ .{ output.data.ptr, memory.ptr, memory.len }));
}

pub const LinearInputs = struct {
    /// (batch, out_features).
    grad_output: View,
    /// Needed only for grad_weight.
    input: ?View = null,
    /// Needed only for grad_input.
    weight: ?View = null,
};

pub const LinearGradients = struct {
    grad_input: ?MutView = null,
    grad_weight: ?MutView = null,
    grad_bias: ?MutView = null,
};

/// grad_input = grad_output weight, grad_weight = grad_output^T input, grad_bias = the sum of grad_output over batch.
pub fn linearBackward(inputs: LinearInputs, gradients: LinearGradients, workspace: *Workspace) AllError!void {
    const batch, const out_features = try sizesOf(2, "grad_output", inputs.grad_output);
    const in_features = if (inputs.input) |input|
        (try sizesOf(2, "input", input))[1]
    else if (inputs.weight) |weight|
        (try sizesOf(2, "weight", weight))[1]
    else
        0; // only grad_bias is possible
    try expect("input", inputs.input, &.{ batch, in_features });
    try expect("weight", inputs.weight, &.{ out_features, in_features });
    try expect("grad_input", gradients.grad_input, &.{ batch, in_features });
    try expect("grad_weight", gradients.grad_weight, &.{ out_features, in_features });
    try expect("grad_bias", gradients.grad_bias, &.{out_features});
    const sizes = .{ int64(batch), int64(in_features), int64(out_features) };
    const memory = try workspace.reserve(@call(.auto, c.my_lib_linear_backward_workspace_size, sizes));
    try check(@call(.auto, c.my_lib_linear_backward, .{
        inputs.grad_output.data.ptr,
        pointer(inputs.input),
        pointer(inputs.weight),
    } ++ sizes ++ .{
        pointer(gradients.grad_input),
        pointer(gradients.grad_weight),
        pointer(gradients.grad_bias),
        memory.ptr,
        memory.len,
    }));
}

// ---- LLTM ----

/// What the forward functions read; input and outputs of a sequence have seq_len as a further, first size.
pub const LltmInputs = struct {
    /// (batch, input_size).
    input: View,
    /// (3 * state_size, state_size + input_size).
    weights: View,
    /// (3 * state_size).
    bias: View,
    /// (batch, state_size).
    old_h: View,
    /// (batch, state_size).
    old_cell: View,

    fn pointers(inputs: LltmInputs) struct { [*]const f32, [*]const f32, [*]const f32, [*]const f32, [*]const f32 } {
        return .{
            inputs.input.data.ptr,
            inputs.weights.data.ptr,
            inputs.bias.data.ptr,
            inputs.old_h.data.ptr,
            inputs.old_cell.data.ptr,
        };
    }
};

/// What the forward functions write: the new state (batch, state_size), and gates (batch, 3 * state_size), which
/// backward needs.
pub const LltmOutputs = struct {
    h: MutView,
    cell: MutView,
    gates: ?MutView = null,

    fn pointers(outputs: LltmOutputs) struct { [*]f32, [*]f32, ?[*]f32 } {
        return .{ outputs.h.data.ptr, outputs.cell.data.ptr, pointer(outputs.gates) };
    }
};

/// What the backward functions write, in the shapes of what these are gradients of.
pub const LltmGradients = struct {
    d_input: ?MutView = null,
    d_weights: ?MutView = null,
    d_bias: ?MutView = null,
    d_old_h: ?MutView = null,
    d_old_cell: ?MutView = null,

    fn expectShapes(gradients: LltmGradients, input: View, sizes: LltmSizes) Error!void {
        try expect("d_input", gradients.d_input, input.shape);
        try expect("d_weights", gradients.d_weights, &sizes.weights());
        try expect("d_bias", gradients.d_bias, &.{sizes.state_size *| 3});
        try expect("d_old_h", gradients.d_old_h, &sizes.state());
        try expect("d_old_cell", gradients.d_old_cell, &sizes.state());
    }

    fn pointers(gradients: LltmGradients) struct { ?[*]f32, ?[*]f32, ?[*]f32, ?[*]f32, ?[*]f32 } {
        return .{
            pointer(gradients.d_input),
            pointer(gradients.d_weights),
            pointer(gradients.d_bias),
            pointer(gradients.d_old_h),
            pointer(gradients.d_old_cell),
        };
    }
};

/// The gradients of the new state, what lltmForward gave, and what it read.
pub const LltmBackward = struct {
    grad_h: View,
    grad_cell: View,
    new_cell: View,
    gates: View,
    input: View,
    old_h: View,
    weights: View,
};

/// The gradients of every h, further ones of the last state (null counts as zero), what lltmSequenceForward gave, and
/// what it read.
pub const LltmSequenceBackward = struct {
    grad_h: View,
    grad_last_h: ?View = null,
    grad_last_cell: ?View = null,
    cell: View,
    gates: View,
    input: View,
    h: View,
    old_h: View,
    old_cell: View,
    weights: View,
};

/// seq_len is null for one step.
const LltmSizes = struct {
    seq_len: ?usize,
    batch: usize,
    input_size: usize,
    state_size: usize,

    fn ofStep(input: View, old_h: View) Error!LltmSizes {
        const batch, const input_size = try sizesOf(2, "input", input);
        const state_size = try stateSize(batch, old_h);
        return .{ .seq_len = null, .batch = batch, .input_size = input_size, .state_size = state_size };
    }

    fn ofSequence(input: View, old_h: View) Error!LltmSizes {
        const seq_len, const batch, const input_size = try sizesOf(3, "input", input);
        const state_size = try stateSize(batch, old_h);
        return .{ .seq_len = seq_len, .batch = batch, .input_size = input_size, .state_size = state_size };
    }

    fn stateSize(batch: usize, old_h: View) Error!usize {
        const state_size = (try sizesOf(2, "old_h", old_h))[1];
        try expect("old_h", old_h, &.{ batch, state_size });
        return state_size;
    }

    fn state(sizes: LltmSizes) [2]usize {
        return .{ sizes.batch, sizes.state_size };
    }

    fn weights(sizes: LltmSizes) [2]usize {
        return .{ sizes.state_size *| 3, sizes.state_size +| sizes.input_size };
    }

    /// An array with `columns` columns for each element of the batch, and for each step of a sequence.
    fn expectEach(sizes: LltmSizes, name: []const u8, array: anytype, columns: usize) Error!void {
        const shape = [_]usize{ sizes.seq_len orelse 0, sizes.batch, columns };
        return expect(name, array, if (sizes.seq_len == null) shape[1..] else &shape);
    }

    fn expectForward(sizes: LltmSizes, inputs: LltmInputs, outputs: LltmOutputs) Error!void {
        try expect("weights", inputs.weights, &sizes.weights());
        try expect("bias", inputs.bias, &.{sizes.state_size *| 3});
        try expect("old_cell", inputs.old_cell, &sizes.state());
        try sizes.expectEach("h", outputs.h, sizes.state_size);
        try sizes.expectEach("cell", outputs.cell, sizes.state_size);
        try sizes.expectEach("gates", outputs.gates, sizes.state_size *| 3);
    }

    fn ofC(sizes: LltmSizes) struct { i64, i64, i64 } {
        return .{ int64(sizes.batch), int64(sizes.input_size), int64(sizes.state_size) };
    }
};

/// One step; my_lib.h has the formula.
pub fn lltmForward(inputs: LltmInputs, outputs: LltmOutputs, workspace: *Workspace) AllError!void {
    const all = try LltmSizes.ofStep(inputs.input, inputs.old_h);
    try all.expectForward(inputs, outputs);
    const sizes = all.ofC();
    const memory = try workspace.reserve(@call(.auto, c.lltm_forward_workspace_size, sizes));
    const arguments = inputs.pointers() ++ sizes ++ outputs.pointers() ++ .{ memory.ptr, memory.len };
    try check(@call(.auto, c.lltm_forward, arguments));
}

/// The gradients of one step.
pub fn lltmBackward(inputs: LltmBackward, gradients: LltmGradients, workspace: *Workspace) AllError!void {
    const all = try LltmSizes.ofStep(inputs.input, inputs.old_h);
    try expect("weights", inputs.weights, &all.weights());
    try all.expectEach("grad_h", inputs.grad_h, all.state_size);
    try all.expectEach("grad_cell", inputs.grad_cell, all.state_size);
    try all.expectEach("new_cell", inputs.new_cell, all.state_size);
    try all.expectEach("gates", inputs.gates, all.state_size *| 3);
    try gradients.expectShapes(inputs.input, all);
    const sizes = all.ofC();
    const memory = try workspace.reserve(@call(.auto, c.lltm_backward_workspace_size, sizes));
    try check(@call(.auto, c.lltm_backward, .{
        inputs.grad_h.data.ptr,
        inputs.grad_cell.data.ptr,
        inputs.new_cell.data.ptr,
        inputs.gates.data.ptr,
        inputs.input.data.ptr,
        inputs.old_h.data.ptr,
        inputs.weights.data.ptr,
    } ++ sizes ++ gradients.pointers() ++ .{ memory.ptr, memory.len }));
}

/// seq_len steps, each with the state of the one before; h and cell are the state after each step.
pub fn lltmSequenceForward(inputs: LltmInputs, outputs: LltmOutputs, workspace: *Workspace) AllError!void {
    const all = try LltmSizes.ofSequence(inputs.input, inputs.old_h);
    try all.expectForward(inputs, outputs);
    const sizes = .{int64(all.seq_len.?)} ++ all.ofC();
    const memory = try workspace.reserve(@call(.auto, c.lltm_sequence_forward_workspace_size, sizes));
    const arguments = inputs.pointers() ++ sizes ++ outputs.pointers() ++ .{ memory.ptr, memory.len };
    try check(@call(.auto, c.lltm_sequence_forward, arguments));
}

/// Back-propagation through time.
pub fn lltmSequenceBackward(
    inputs: LltmSequenceBackward,
    gradients: LltmGradients,
    workspace: *Workspace,
) AllError!void {
    const all = try LltmSizes.ofSequence(inputs.input, inputs.old_h);
    try expect("old_cell", inputs.old_cell, &all.state());
    try expect("weights", inputs.weights, &all.weights());
    try expect("grad_last_h", inputs.grad_last_h, &all.state());
    try expect("grad_last_cell", inputs.grad_last_cell, &all.state());
    try all.expectEach("grad_h", inputs.grad_h, all.state_size);
    try all.expectEach("cell", inputs.cell, all.state_size);
    try all.expectEach("h", inputs.h, all.state_size);
    try all.expectEach("gates", inputs.gates, all.state_size *| 3);
    try gradients.expectShapes(inputs.input, all);
    const sizes = .{int64(all.seq_len.?)} ++ all.ofC();
    const memory = try workspace.reserve(@call(.auto, c.lltm_sequence_backward_workspace_size, sizes));
    try check(@call(.auto, c.lltm_sequence_backward, .{
        inputs.grad_h.data.ptr,
        pointer(inputs.grad_last_h),
        pointer(inputs.grad_last_cell),
        inputs.cell.data.ptr,
        inputs.gates.data.ptr,
        inputs.input.data.ptr,
        inputs.h.data.ptr,
        inputs.old_h.data.ptr,
        inputs.old_cell.data.ptr,
        inputs.weights.data.ptr,
    } ++ sizes ++ gradients.pointers() ++ .{ memory.ptr, memory.len }));
}

test {
    _ = @import("test.zig");
}
