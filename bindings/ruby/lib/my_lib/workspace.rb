# bindings/ruby/lib/my_lib/workspace.rb: the scratch memory of a thread, which grows and is reused.
module MyLib
  SIZE_MAX = (1 << (8 * Fiddle::SIZEOF_SIZE_T)) - 1
  private_constant :SIZE_MAX

  # [pointer, size] of at least as many bytes as a *_workspace_size function says for these sizes.
  def self.workspace(function, *sizes)
    needed = call(:"#{function}_workspace_size", *sizes) & SIZE_MAX # Fiddle may show it as a negative number
    check(0) if needed == SIZE_MAX
    own = Thread.current.thread_variable_get(:my_lib_workspace)
    if needed > (own ? own.size : 0)
      own = Fiddle::Pointer.malloc(needed, Fiddle::RUBY_FREE)
      Thread.current.thread_variable_set(:my_lib_workspace, own)
    end
    [own, own ? own.size : 0]
  end
  private_class_method :workspace

  # Calls a function with arrays that it reads, sizes, arrays that it writes (nil: not wanted) and its workspace.
  def self.call_with_workspace(function, read, sizes, written)
    memory, size = workspace(function, *sizes)
    check(call(function, *read.map { |tensor| tensor&.pointer }, *sizes, *written.map { |tensor| tensor&.pointer },
               memory, size))
  end
  private_class_method :call_with_workspace
end
