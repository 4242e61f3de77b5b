// bindings/zig/check/vectors.zig: replays the vectors and errors of index.txt.
const std = @import("std");
const my_lib = @import("my_lib");
const c = my_lib.c;

const Counts = struct { cases: usize = 0, errors: usize = 0 };

/// values: of an input, or expected of an output. An array that is absent has no shape.
const Array = struct {
    name: []const u8,
    shape: ?[]const usize,
    is_output: bool,
    values: []f32 = &.{},
    output: []f32 = &.{},

    fn is(array: Array, name: []const u8, is_output: bool) bool {
        return array.is_output == is_output and array.shape != null and std.mem.eql(u8, array.name, name);
    }
};

/// The lines of the index from `case` or `error` to `end`; head: the words of the first.
const Block = struct {
    head: []const []const u8,
    sizes: []const i64,
    arrays: []Array,
    text: []const u8,

    fn read(allocator: std.mem.Allocator, lines: []const u8) !Block {
        var block = Block{ .head = &.{}, .sizes = &.{}, .arrays = &.{}, .text = "" };
        var sizes: std.ArrayList(i64) = .empty;
        var arrays: std.ArrayList(Array) = .empty;
        var iterator = std.mem.tokenizeScalar(u8, lines, '\n');
        while (iterator.next()) |line| {
            var fields: std.ArrayList([]const u8) = .empty;
            var words = std.mem.tokenizeScalar(u8, line, ' ');
            while (words.next()) |word| try fields.append(allocator, word);
            const field = fields.items;
            if (std.mem.eql(u8, field[0], "size")) {
                try sizes.append(allocator, try std.fmt.parseInt(i64, field[2], 10));
            } else if (std.mem.eql(u8, field[0], "in") or std.mem.eql(u8, field[0], "out")) {
                var shape: std.ArrayList(usize) = .empty;
                for (field[3..]) |size| try shape.append(allocator, try std.fmt.parseInt(usize, size, 10));
                try arrays.append(allocator, .{
                    .name = field[1],
                    .shape = if (std.mem.eql(u8, field[2], "-1")) null else shape.items,
                    .is_output = std.mem.eql(u8, field[0], "out"),
                });
            } else if (std.mem.eql(u8, field[0], "text")) {
                block.text = line["text ".len..];
            } else {
                block.head = field;
            }
        }
        block.sizes = sizes.items;
        block.arrays = arrays.items;
        return block;
    }

    fn find(block: Block, name: []const u8, is_output: bool) ?*Array {
        for (block.arrays) |*array| {
            if (array.is(name, is_output)) return array;
        }
        return null;
    }

    fn in(block: Block, name: []const u8) ?my_lib.View {
        const array = block.find(name, false) orelse return null;
        return .{ .data = array.values, .shape = array.shape.? };
    }

    fn out(block: Block, name: []const u8) ?my_lib.MutView {
        const array = block.find(name, true) orelse return null;
        return .{ .data = array.output, .shape = array.shape.? };
    }
};

pub fn run(allocator: std.mem.Allocator, path: []const u8) !Counts {
    var folder = try std.fs.cwd().openDir(path, .{});
    defer folder.close();
    const index = try folder.readFileAlloc(allocator, "index.txt", 1 << 24);
    var workspace = my_lib.Workspace.init(std.heap.page_allocator);
    defer workspace.deinit();
    var counts = Counts{};
    var blocks = std.mem.splitSequence(u8, index, "\nend\n");
    while (blocks.next()) |lines| {
        if (lines.len == 0) continue;
        const block = try Block.read(allocator, lines);
        if (std.mem.eql(u8, block.head[0], "case")) {
            errdefer std.debug.print("{s}: {s}\n", .{ block.head[1], my_lib.lastFailure().message });
            try load(allocator, folder, block);
            try replay(block, &workspace);
            try compare(block);
            counts.cases += 1;
        } else {
            errdefer std.debug.print("{s}: got {s}\n", .{ block.head[1], my_lib.lastFailure().message });
            try provoke(allocator, block);
            counts.errors += 1;
        }
    }
    return counts;
}

fn product(shape: []const usize) usize {
    var count: usize = 1;
    for (shape) |size| count *= size;
    return count;
}

fn load(allocator: std.mem.Allocator, folder: std.fs.Dir, block: Block) !void {
    var bytes: []const u8 = try folder.readFileAlloc(allocator, block.head[3], 1 << 24);
    for (block.arrays) |*array| {
        array.values = try allocator.alloc(f32, product(array.shape orelse continue));
        array.output = try allocator.alloc(f32, array.values.len);
        for (array.values) |*value| {
            value.* = @bitCast(std.mem.readInt(u32, bytes[0..4], .little));
            bytes = bytes[4..];
        }
        @memset(array.output, std.math.nan(f32));
    }
}

fn replay(block: Block, workspace: *my_lib.Workspace) !void {
    const Function = enum {
        add_forward,
        add_backward,
        linear_forward,
        linear_backward,
        lltm_forward,
        lltm_backward,
        lltm_sequence_forward,
        lltm_sequence_backward,
    };
    switch (std.meta.stringToEnum(Function, block.head[2]) orelse return error.UnknownFunction) {
        .add_forward => try my_lib.addForward(block.in("input1").?, block.in("input2").?, block.out("output").?),
        .add_backward => try my_lib.addBackward(block.in("grad_output").?, gradients(my_lib.AddGradients, block)),
        .linear_forward => {
            const output = block.out("output").?;
            try my_lib.linearForward(block.in("input").?, block.in("weight").?, block.in("bias"), output, workspace);
        },
        .linear_backward => {
            const inputs = my_lib.LinearInputs{
                .grad_output = block.in("grad_output").?,
                .input = block.in("input"),
                .weight = block.in("weight"),
            };
            try my_lib.linearBackward(inputs, gradients(my_lib.LinearGradients, block), workspace);
        },
        .lltm_forward => try my_lib.lltmForward(required(my_lib.LltmInputs, block), .{
            .h = block.out("new_h").?,
            .cell = block.out("new_cell").?,
            .gates = block.out("gates"),
        }, workspace),
        .lltm_sequence_forward => try my_lib.lltmSequenceForward(required(my_lib.LltmInputs, block), .{
            .h = block.out("h").?,
            .cell = block.out("cell").?,
            .gates = block.out("gates"),
        }, workspace),
        .lltm_backward => {
            const inputs = required(my_lib.LltmBackward, block);
            try my_lib.lltmBackward(inputs, gradients(my_lib.LltmGradients, block), workspace);
        },
        .lltm_sequence_backward => {
            const inputs = required(my_lib.LltmSequenceBackward, block);
            try my_lib.lltmSequenceBackward(inputs, gradients(my_lib.LltmGradients, block), workspace);
        },
    }
}

/// A struct of inputs whose fields have C's names; those that are optional may be absent.
fn required(Inputs: type, block: Block) Inputs {
    var inputs: Inputs = undefined;
    inline for (std.meta.fields(Inputs)) |field| {
        const array = block.in(field.name);
        @field(inputs, field.name) = if (field.type == my_lib.View) array.? else array;
    }
    return inputs;
}

fn gradients(Gradients: type, block: Block) Gradients {
    var all = Gradients{};
    inline for (std.meta.fields(Gradients)) |field| @field(all, field.name) = block.out(field.name);
    return all;
}

fn compare(block: Block) !void {
    const rtol = try std.fmt.parseFloat(f32, block.head[4]);
    const atol = try std.fmt.parseFloat(f32, block.head[5]);
    for (block.arrays) |array| {
        if (!array.is_output) continue;
        for (array.values, array.output) |expected, got| {
            if (@abs(got - expected) <= atol + rtol * @abs(expected)) continue; // not so for a NaN
            std.debug.print("{s}: {s}: expected {d}, got {d}\n", .{ block.head[1], array.name, expected, got });
            return error.WrongValue;
        }
    }
}

/// The last two errors go through the C declarations, because a caller of my_lib cannot make them.
fn provoke(allocator: std.mem.Allocator, block: Block) !void {
    for (block.arrays) |*array| {
        array.values = try allocator.alloc(f32, product(array.shape.?));
        @memset(array.values, 1);
    }
    var h: [64]f32 = undefined;
    var cell: [64]f32 = undefined;
    var gates: [64]f32 = undefined;
    const arrays = block.arrays;
    const size = block.sizes;
    const Name = enum { @"add_forward-shapes", @"linear_forward-negative", @"lltm_forward-workspace" };
    switch (std.meta.stringToEnum(Name, block.head[1]) orelse return error.UnknownError) {
        .@"add_forward-shapes" => {
            const output = my_lib.MutView{ .data = h[0..arrays[0].values.len], .shape = arrays[0].shape.? };
            const result = my_lib.addForward(block.in("input1").?, block.in("input2").?, output);
            if (result != error.ShapeMismatch) return error.ExpectedShapeMismatch;
        },
        .@"linear_forward-negative" => {
            const status = c.my_lib_linear_forward(null, null, null, size[0], size[1], size[2], null, null, 0);
            if (status != 0) return error.ExpectedFailure;
        },
        .@"lltm_forward-workspace" => {
            const status = c.lltm_forward(
                arrays[0].values.ptr,
                arrays[1].values.ptr,
                arrays[2].values.ptr,
                arrays[3].values.ptr,
                arrays[4].values.ptr,
                size[0],
                size[1],
                size[2],
                &h,
                &cell,
                &gates,
                null,
                0,
            );
            if (status != 0) return error.ExpectedFailure;
        },
    }
    const failure = my_lib.lastFailure();
    if (failure.code != try std.fmt.parseInt(c_int, block.head[3], 10)) return error.WrongCode;
    if (!std.mem.eql(u8, failure.name, block.head[4])) return error.WrongName;
    if (!std.mem.eql(u8, failure.message, block.text)) return error.WrongMessage;
}
