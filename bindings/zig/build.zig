// bindings/zig/build.zig: the module my_lib, which links libmy_lib and stores its folder as rpath, the tests, and the
// test program of `make languages`. The library is the file that MY_LIB names; without it pkg-config is asked.
const std = @import("std");

pub fn build(b: *std.Build) void {
    const target = b.standardTargetOptions(.{});
    const optimize = b.standardOptimizeOption(.{});
    const library = b.graph.env_map.get("MY_LIB") orelse fromPkgConfig(b);

    const my_lib = b.addModule("my_lib", .{
        .root_source_file = b.path("src/my_lib.zig"),
        .target = target,
        .optimize = optimize,
        .link_libc = true,
    });
    my_lib.addObjectFile(.{ .cwd_relative = library });
    my_lib.addRPath(.{ .cwd_relative = std.fs.path.dirname(library) orelse "." });

    const check = b.addExecutable(.{
        .name = "check",
        .root_module = b.createModule(.{
            .root_source_file = b.path("check/check.zig"),
            .target = target,
            .optimize = optimize,
            .imports = &.{.{ .name = "my_lib", .module = my_lib }},
        }),
    });
    b.step("check", "Install the test program").dependOn(&b.addInstallArtifact(check, .{}).step);

    const tests = b.addRunArtifact(b.addTest(.{ .root_module = my_lib }));
    b.step("test", "Run the tests").dependOn(&tests.step);
}

fn fromPkgConfig(b: *std.Build) []const u8 {
    const folder = b.run(&.{ "pkg-config", "--variable=libdir", "my_lib" });
    return b.pathJoin(&.{ std.mem.trim(u8, folder, "\n"), "libmy_lib.so.1" });
}
