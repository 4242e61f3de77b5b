! bindings/fortran/src/my_lib.f90: libmy_lib for Fortran: the operators on arrays of real(c_float).
!
! Layout. Fortran's first index is the fastest, C's last: an array here has the sizes of my_lib.h in reverse, and the
! same memory. input(:, b) is the b-th input, weight(:, o) are the weights of output o. Nothing is transposed, and an
! array that is contiguous is not copied; the compiler copies a section that is not, in and out.
!
! Errors. With the argument error present its code is 0 after a success; without it an error ends the program (error
! stop) with its message. Shapes are checked here and named in Fortran's order. After a failure no output was written.
!
! Optional arguments. A gradient that is absent is not computed. A workspace is memory that later calls use again; a
! thread needs one of its own. Without it a call allocates and frees.
!
! Threads. Every procedure may be called from any number of threads at once. No function that they share returns a text
! of deferred length: gfortran keeps the lengths of such results in static memory.
module my_lib
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_float, c_int, c_int64_t, c_int8_t, c_loc, &
    c_null_ptr, c_ptr, c_size_t
  use my_lib_c, c_lltm_forward => lltm_forward, c_lltm_backward => lltm_backward, &
    c_lltm_sequence_forward => lltm_sequence_forward, c_lltm_sequence_backward => lltm_sequence_backward
  implicit none
  private
  public :: my_lib_error, my_lib_workspace, version, build_info, set_num_threads, num_threads
  public :: add_forward, add_backward, linear_forward, linear_backward
  public :: lltm_forward, lltm_backward, lltm_sequence_forward, lltm_sequence_backward

  !> Why a call failed: a code of my_lib.h, its name, and a message that names the argument, what was expected, what
  !> came.
  type :: my_lib_error
    integer(c_int) :: code = 0
    character(:), allocatable :: name, message
  end type

  type :: my_lib_workspace
    private
    integer(c_int8_t), allocatable :: bytes(:)
  end type

contains

  ! ---- The library ----

  !> The version of the loaded library, "major.minor.patch".
  function version()
    character(:), allocatable :: version
    call get_text(my_lib_version(), version)
  end function

  !> One line: version, CPU path, OpenMP run-time.
  function build_info()
    character(:), allocatable :: build_info
    call get_text(my_lib_build_info(), build_info)
  end function

  !> How many threads a call may use, in the whole process; 0 follows OpenMP's own number. Error: a negative number.
  subroutine set_num_threads(count, error)
    integer, intent(in) :: count
    type(my_lib_error), intent(out), optional :: error
    call check(my_lib_set_num_threads(int(count, c_int)), error)
  end subroutine

  integer function num_threads()
    num_threads = my_lib_get_num_threads()
  end function

  ! ---- Addition ----

  !> output = input1 + input2, of any rank. Error: shapes that differ.
  subroutine add_forward(input1, input2, output, error)
    real(c_float), intent(in), contiguous, target :: input1(..), input2(..)
    real(c_float), intent(inout), contiguous, target :: output(..)
    type(my_lib_error), intent(out), optional :: error
    integer(c_int64_t), target :: count
    integer(c_int64_t) :: n
    logical :: fits
    integer :: i
    count = 1
    fits = rank(input2) == rank(input1) .and. rank(output) == rank(input1)
    if (fits) then
      do i = 1, rank(input1)
        n = size(input1, i, c_int64_t)
        fits = fits .and. size(input2, i, c_int64_t) == n .and. size(output, i, c_int64_t) == n
        count = count * n
      end do
    end if
    if (.not. fits) then
      if (differs('input2', input2, shape(input1, c_int64_t), error)) return
      if (differs('output', output, shape(input1, c_int64_t), error)) return
    end if
    call check(my_lib_add_forward(c_loc(input1), c_loc(count), 1_c_int64_t, c_loc(input2), c_loc(count), 1_c_int64_t, &
      c_loc(output)), error)
  end subroutine

  !> grad_input1 = grad_output, grad_input2 = grad_output, of any rank. Error: shapes that differ.
  subroutine add_backward(grad_output, grad_input1, grad_input2, error)
    real(c_float), intent(in), contiguous, target :: grad_output(..)
    real(c_float), intent(inout), contiguous, target, optional :: grad_input1(..), grad_input2(..)
    type(my_lib_error), intent(out), optional :: error
    integer(c_int64_t), target :: count
    if (differs('grad_input1', grad_input1, shape(grad_output, c_int64_t), error)) return
    if (differs('grad_input2', grad_input2, shape(grad_output, c_int64_t), error)) return
    count = size(grad_output, kind=c_int64_t)
    call check(my_lib_add_backward(c_loc(grad_output), c_loc(count), 1_c_int64_t, address(grad_input1), &
      address(grad_input2)), error)
  end subroutine

  ! ---- Linear ----

  !> output(:, b) = matmul(transpose(weight), input(:, b)) + bias; without bias, 0. input(in_features, batch),
  !> weight(in_features, out_features), output(out_features, batch), bias(out_features). Error: other shapes.
  subroutine linear_forward(input, weight, output, bias, workspace, error)
    real(c_float), intent(in), contiguous, target :: input(:, :), weight(:, :)
    real(c_float), intent(inout), contiguous, target :: output(:, :)
    real(c_float), intent(in), contiguous, target, optional :: bias(:)
    type(my_lib_workspace), intent(inout), target, optional :: workspace
    type(my_lib_error), intent(out), optional :: error
    type(my_lib_workspace), target :: own
    type(my_lib_workspace), pointer :: memory
    integer(c_int64_t) :: batch, in_features, out_features
    in_features = size(input, 1)
    batch = size(input, 2)
    out_features = size(weight, 2)
    if (differs('weight', weight, [in_features, out_features], error)) return
    if (differs('output', output, [out_features, batch], error)) return
    if (differs('bias', bias, [out_features], error)) return
    memory => own
    if (present(workspace)) memory => workspace
    if (.not. reserved(memory, my_lib_linear_forward_workspace_size(batch, in_features, out_features), error)) return
    call check(my_lib_linear_forward(c_loc(input), c_loc(weight), address(bias), batch, in_features, out_features, &
      c_loc(output), start(memory), size(memory%bytes, kind=c_size_t)), error)
  end subroutine

  !> The gradients: grad_output(out_features, batch); the others have the shapes of what they are gradients of. weight
  !> is needed only for grad_input, input only for grad_weight. Error: other shapes; an array that is needed and absent.
  subroutine linear_backward(grad_output, input, weight, grad_input, grad_weight, grad_bias, workspace, error)
    real(c_float), intent(in), contiguous, target :: grad_output(:, :)
    real(c_float), intent(in), contiguous, target, optional :: input(:, :), weight(:, :)
    real(c_float), intent(inout), contiguous, target, optional :: grad_input(:, :), grad_weight(:, :), grad_bias(:)
    type(my_lib_workspace), intent(inout), target, optional :: workspace
    type(my_lib_error), intent(out), optional :: error
    type(my_lib_workspace), target :: own
    type(my_lib_workspace), pointer :: memory
    integer(c_int64_t) :: batch, in_features, out_features
    out_features = size(grad_output, 1)
    batch = size(grad_output, 2)
    in_features = 0 ! without input and weight only grad_bias is possible
    if (present(weight)) in_features = size(weight, 1)
    if (present(input)) in_features = size(input, 1)
    if (differs('input', input, [in_features, batch], error)) return
    if (differs('weight', weight, [in_features, out_features], error)) return
    if (differs('grad_input', grad_input, [in_features, batch], error)) return
    if (differs('grad_weight', grad_weight, [in_features, out_features], error)) return
    if (differs('grad_bias', grad_bias, [out_features], error)) return
    memory => own
    if (present(workspace)) memory => workspace
    if (.not. reserved(memory, my_lib_linear_backward_workspace_size(batch, in_features, out_features), error)) return
    call check(my_lib_linear_backward(c_loc(grad_output), address(input), address(weight), batch, in_features, &
      out_features, address(grad_input), address(grad_weight), address(grad_bias), start(memory), &
      size(memory%bytes, kind=c_size_t)), error)
  end subroutine

  ! ---- LLTM ----

  !> One step, whose formula is in my_lib.h. input(input_size, batch), weights(state_size + input_size, 3 * state_size),
  !> bias(3 * state_size), old_h, old_cell, new_h, new_cell(state_size, batch), gates(3 * state_size, batch), which
  !> lltm_backward needs. Error: other shapes.
  subroutine lltm_forward(input, weights, bias, old_h, old_cell, new_h, new_cell, gates, workspace, error)
    real(c_float), intent(in), contiguous, target :: input(:, :), weights(:, :), bias(:), old_h(:, :), old_cell(:, :)
    real(c_float), intent(inout), contiguous, target :: new_h(:, :), new_cell(:, :)
    real(c_float), intent(inout), contiguous, target, optional :: gates(:, :)
    type(my_lib_workspace), intent(inout), target, optional :: workspace
    type(my_lib_error), intent(out), optional :: error
    type(my_lib_workspace), target :: own
    type(my_lib_workspace), pointer :: memory
    integer(c_int64_t) :: batch, input_size, state_size
    input_size = size(input, 1)
    batch = size(input, 2)
    state_size = size(old_h, 1)
    if (differs('old_h', old_h, [state_size, batch], error)) return
    if (differs('weights', weights, [state_size + input_size, 3 * state_size], error)) return
    if (differs('bias', bias, [3 * state_size], error)) return
    if (differs('old_cell', old_cell, [state_size, batch], error)) return
    if (differs('new_h', new_h, [state_size, batch], error)) return
    if (differs('new_cell', new_cell, [state_size, batch], error)) return
    if (differs('gates', gates, [3 * state_size, batch], error)) return
    memory => own
    if (present(workspace)) memory => workspace
    if (.not. reserved(memory, lltm_forward_workspace_size(batch, input_size, state_size), error)) return
    call check(c_lltm_forward(c_loc(input), c_loc(weights), c_loc(bias), c_loc(old_h), c_loc(old_cell), batch, &
      input_size, state_size, c_loc(new_h), c_loc(new_cell), address(gates), start(memory), &
      size(memory%bytes, kind=c_size_t)), error)
  end subroutine

  !> The gradients of one step; new_cell and gates are what lltm_forward gave. Error: shapes that do not fit.
  subroutine lltm_backward(grad_h, grad_cell, new_cell, gates, input, old_h, weights, d_input, d_weights, d_bias, &
      d_old_h, d_old_cell, workspace, error)
    real(c_float), intent(in), contiguous, target :: grad_h(:, :), grad_cell(:, :), new_cell(:, :), gates(:, :), &
      input(:, :), old_h(:, :), weights(:, :)
    real(c_float), intent(inout), contiguous, target, optional :: d_input(:, :), d_weights(:, :), d_bias(:), &
      d_old_h(:, :), d_old_cell(:, :)
    type(my_lib_workspace), intent(inout), target, optional :: workspace
    type(my_lib_error), intent(out), optional :: error
    type(my_lib_workspace), target :: own
    type(my_lib_workspace), pointer :: memory
    integer(c_int64_t) :: batch, input_size, state_size
    input_size = size(input, 1)
    batch = size(input, 2)
    state_size = size(old_h, 1)
    if (differs('old_h', old_h, [state_size, batch], error)) return
    if (differs('weights', weights, [state_size + input_size, 3 * state_size], error)) return
    if (differs('grad_h', grad_h, [state_size, batch], error)) return
    if (differs('grad_cell', grad_cell, [state_size, batch], error)) return
    if (differs('new_cell', new_cell, [state_size, batch], error)) return
    if (differs('gates', gates, [3 * state_size, batch], error)) return
    if (differs('d_input', d_input, [input_size, batch], error)) return
    if (differs('d_weights', d_weights, [state_size + input_size, 3 * state_size], error)) return
    if (differs('d_bias', d_bias, [3 * state_size], error)) return
    if (differs('d_old_h', d_old_h, [state_size, batch], error)) return
    if (differs('d_old_cell', d_old_cell, [state_size, batch], error)) return
    memory => own
    if (present(workspace)) memory => workspace
    if (.not. reserved(memory, lltm_backward_workspace_size(batch, input_size, state_size), error)) return
    call check(c_lltm_backward(c_loc(grad_h), c_loc(grad_cell), c_loc(new_cell), c_loc(gates), c_loc(input), &
      c_loc(old_h), c_loc(weights), batch, input_size, state_size, address(d_input), address(d_weights), &
      address(d_bias), address(d_old_h), address(d_old_cell), start(memory), size(memory%bytes, kind=c_size_t)), error)
  end subroutine

  !> seq_len steps: input(input_size, batch, seq_len), h, cell(state_size, batch, seq_len), the state after each step,
  !> gates(3 * state_size, batch, seq_len); the others as in lltm_forward. Error: other shapes.
  subroutine lltm_sequence_forward(input, weights, bias, old_h, old_cell, h, cell, gates, workspace, error)
    real(c_float), intent(in), contiguous, target :: input(:, :, :), weights(:, :), bias(:), old_h(:, :), old_cell(:, :)
    real(c_float), intent(inout), contiguous, target :: h(:, :, :), cell(:, :, :)
    real(c_float), intent(inout), contiguous, target, optional :: gates(:, :, :)
    type(my_lib_workspace), intent(inout), target, optional :: workspace
    type(my_lib_error), intent(out), optional :: error
    type(my_lib_workspace), target :: own
    type(my_lib_workspace), pointer :: memory
    integer(c_int64_t) :: seq_len, batch, input_size, state_size
    input_size = size(input, 1)
    batch = size(input, 2)
    seq_len = size(input, 3)
    state_size = size(old_h, 1)
    if (differs('old_h', old_h, [state_size, batch], error)) return
    if (differs('weights', weights, [state_size + input_size, 3 * state_size], error)) return
    if (differs('bias', bias, [3 * state_size], error)) return
    if (differs('old_cell', old_cell, [state_size, batch], error)) return
    if (differs('h', h, [state_size, batch, seq_len], error)) return
    if (differs('cell', cell, [state_size, batch, seq_len], error)) return
    if (differs('gates', gates, [3 * state_size, batch, seq_len], error)) return
    memory => own
    if (present(workspace)) memory => workspace
    if (.not. reserved(memory, lltm_sequence_forward_workspace_size(seq_len, batch, input_size, state_size), error)) &
      return
    call check(c_lltm_sequence_forward(c_loc(input), c_loc(weights), c_loc(bias), c_loc(old_h), c_loc(old_cell), &
      seq_len, batch, input_size, state_size, c_loc(h), c_loc(cell), address(gates), start(memory), &
      size(memory%bytes, kind=c_size_t)), error)
  end subroutine

  !> Back-propagation through time. grad_h(state_size, batch, seq_len) is the gradient of every h, grad_last_h and
  !> grad_last_cell(state_size, batch) are further ones of the last state, absent ones count as zero; h, cell and gates
  !> are what lltm_sequence_forward gave. Error: shapes that do not fit.
  subroutine lltm_sequence_backward(grad_h, cell, gates, input, h, old_h, old_cell, weights, grad_last_h, &
      grad_last_cell, d_input, d_weights, d_bias, d_old_h, d_old_cell, workspace, error)
    real(c_float), intent(in), contiguous, target :: grad_h(:, :, :), cell(:, :, :), gates(:, :, :), input(:, :, :), &
      h(:, :, :), old_h(:, :), old_cell(:, :), weights(:, :)
    real(c_float), intent(in), contiguous, target, optional :: grad_last_h(:, :), grad_last_cell(:, :)
    real(c_float), intent(inout), contiguous, target, optional :: d_input(:, :, :), d_weights(:, :), d_bias(:), &
      d_old_h(:, :), d_old_cell(:, :)
    type(my_lib_workspace), intent(inout), target, optional :: workspace
    type(my_lib_error), intent(out), optional :: error
    type(my_lib_workspace), target :: own
    type(my_lib_workspace), pointer :: memory
    integer(c_int64_t) :: seq_len, batch, input_size, state_size
    input_size = size(input, 1)
    batch = size(input, 2)
    seq_len = size(input, 3)
    state_size = size(old_h, 1)
    if (differs('old_h', old_h, [state_size, batch], error)) return
    if (differs('old_cell', old_cell, [state_size, batch], error)) return
    if (differs('weights', weights, [state_size + input_size, 3 * state_size], error)) return
    if (differs('grad_h', grad_h, [state_size, batch, seq_len], error)) return
    if (differs('grad_last_h', grad_last_h, [state_size, batch], error)) return
    if (differs('grad_last_cell', grad_last_cell, [state_size, batch], error)) return
    if (differs('cell', cell, [state_size, batch, seq_len], error)) return
    if (differs('h', h, [state_size, batch, seq_len], error)) return
    if (differs('gates', gates, [3 * state_size, batch, seq_len], error)) return
    if (differs('d_input', d_input, [input_size, batch, seq_len], error)) return
    if (differs('d_weights', d_weights, [state_size + input_size, 3 * state_size], error)) return
    if (differs('d_bias', d_bias, [3 * state_size], error)) return
    if (differs('d_old_h', d_old_h, [state_size, batch], error)) return
    if (differs('d_old_cell', d_old_cell, [state_size, batch], error)) return
    memory => own
    if (present(workspace)) memory => workspace
    if (.not. reserved(memory, lltm_sequence_backward_workspace_size(seq_len, batch, input_size, state_size), error)) &
      return
    call check(c_lltm_sequence_backward(c_loc(grad_h), address(grad_last_h), address(grad_last_cell), c_loc(cell), &
      c_loc(gates), c_loc(input), c_loc(h), c_loc(old_h), c_loc(old_cell), c_loc(weights), seq_len, batch, input_size, &
      state_size, address(d_input), address(d_weights), address(d_bias), address(d_old_h), address(d_old_cell), &
      start(memory), size(memory%bytes, kind=c_size_t)), error)
  end subroutine

  ! ---- Shapes ----

  !> Whether an array, if it is present, has another shape than it must have; then the error is set.
  logical function differs(name, array, expected, error)
    character(*), intent(in) :: name
    real(c_float), intent(in), optional :: array(..)
    integer(c_int64_t), intent(in) :: expected(:)
    type(my_lib_error), intent(inout), optional :: error
    differs = .false.
    if (.not. present(array)) return
    differs = rank(array) /= size(expected)
    if (.not. differs) differs = any(shape(array) /= expected)
    if (differs) call mismatch(name, expected, shape(array, kind=c_int64_t), error)
  end function

  subroutine mismatch(name, expected, got, error)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: expected(:), got(:)
    type(my_lib_error), intent(inout), optional :: error
    call raise(MY_LIB_ERROR_SHAPE_MISMATCH, name // ': expected shape ' // trim(shape_text(expected)) // ', got ' // &
      trim(shape_text(got)), error)
  end subroutine

  !> (2, 3), (5,), (); behind it blanks.
  character(350) function shape_text(sizes) ! 15 sizes of 20 digits
    integer(c_int64_t), intent(in) :: sizes(:)
    character(20) :: digits
    integer :: i
    shape_text = '('
    do i = 1, size(sizes)
      write (digits, '(i0)') sizes(i)
      if (i > 1) shape_text = trim(shape_text) // ', ' // digits
      if (i == 1) shape_text = '(' // digits
    end do
    if (size(sizes) == 1) shape_text = trim(shape_text) // ','
    shape_text = trim(shape_text) // ')'
  end function

  !> NULL for an array that is absent.
  type(c_ptr) function address(array)
    real(c_float), intent(in), contiguous, target, optional :: array(..)
    address = c_null_ptr
    if (present(array)) address = c_loc(array)
  end function

  ! ---- Workspace ----

  !> Makes a workspace as large as a *_workspace_size function says; .false. where that failed.
  logical function reserved(workspace, bytes, error)
    type(my_lib_workspace), intent(inout) :: workspace
    integer(c_size_t), intent(in) :: bytes
    type(my_lib_error), intent(inout), optional :: error
    reserved = bytes >= 0 ! SIZE_MAX is -1 in Fortran, which has no unsigned integers
    if (.not. reserved) call raise_last(error)
    if (.not. reserved) return
    if (allocated(workspace%bytes)) then
      if (size(workspace%bytes, kind=c_size_t) >= bytes) return
      deallocate (workspace%bytes)
    end if
    allocate (workspace%bytes(bytes))
  end function

  type(c_ptr) function start(workspace)
    type(my_lib_workspace), intent(in), target :: workspace
    start = c_loc(workspace%bytes)
  end function

  ! ---- Errors ----

  !> After a C function that returns 1 for success and 0 for failure.
  subroutine check(status, error)
    integer(c_int), intent(in) :: status
    type(my_lib_error), intent(inout), optional :: error
    if (status == 0) call raise_last(error)
  end subroutine

  !> The thread's last error of C.
  subroutine raise_last(error)
    type(my_lib_error), intent(inout), optional :: error
    character(:), allocatable :: message
    call get_text(my_lib_last_error_message(), message)
    call raise(my_lib_last_error_code(), message, error)
  end subroutine

  subroutine raise(code, message, error)
    integer(c_int), intent(in) :: code
    character(*), intent(in) :: message
    type(my_lib_error), intent(inout), optional :: error
    if (.not. present(error)) error stop message
    error%code = code
    call get_text(my_lib_error_name(code), error%name)
    error%message = message
  end subroutine

  !> A text of C.
  subroutine get_text(address, text)
    type(c_ptr), intent(in) :: address
    character(:), allocatable, intent(out) :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    interface
      integer(c_size_t) function strlen(address) bind(c)
        import :: c_ptr, c_size_t
        type(c_ptr), value :: address
      end function
    end interface
    call c_f_pointer(address, characters, [strlen(address)])
    allocate (character(size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end subroutine

end module my_lib
