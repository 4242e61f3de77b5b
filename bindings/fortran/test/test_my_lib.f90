! bindings/fortran/test/test_my_lib.f90: what the wrapper refuses, and sections that are not contiguous.
program test_my_lib
  use, intrinsic :: iso_c_binding, only: c_float
  use my_lib
  implicit none
  type(my_lib_error) :: error
  type(my_lib_workspace) :: workspace
  real(c_float) :: a(2, 3), b(3, 2), vector(3), weight(3, 2), output(2, 2), x(5, 2), weights(8, 9), bias(9)
  real(c_float) :: old_h(3, 2), h(3, 2), cell(3, 2), wide(4, 3), sum(2, 3), scalar
  integer :: i

  a = reshape([1., 2., 3., 4., 5., 6.], [2, 3])
  b = 1
  vector = 1
  call add_forward(a, b, sum, error)
  call expect('input2: expected shape (2, 3), got (3, 2)')
  call add_forward(a, vector, sum, error)
  call expect('input2: expected shape (2, 3), got (3,)')
  call add_forward(a, a, b, error)
  call expect('output: expected shape (2, 3), got (3, 2)')
  call add_backward(a, grad_input2=b, error=error)
  call expect('grad_input2: expected shape (2, 3), got (3, 2)')
  weight = 1
  call linear_forward(a, weight, output, error=error)
  call expect('weight: expected shape (2, 2), got (3, 2)')
  call linear_forward(b, weight, output, vector, workspace, error)
  call expect('bias: expected shape (2,), got (3,)')
  call linear_backward(output, weight=weight, grad_weight=weight, error=error)
  call expect('input: expected an array, got NULL', 'MY_LIB_ERROR_NULL_POINTER')
  x = 1
  weights = 1
  bias = 1
  old_h = 1
  call lltm_forward(x, weights, bias, old_h, a, h, cell, error=error)
  call expect('old_cell: expected shape (3, 2), got (2, 3)')
  call lltm_forward(x, weights(:7, :), bias, old_h, old_h, h, cell, error=error)
  call expect('weights: expected shape (8, 9), got (7, 9)')
  call set_num_threads(-1, error)
  call expect('num_threads: expected at least 0, got -1', 'MY_LIB_ERROR_INVALID_VALUE')

  ! A success resets the error. Workspace and gates may be absent.
  call lltm_forward(x, weights, bias, old_h, old_h, h, cell, error=error)
  if (error%code /= 0 .or. allocated(error%message)) error stop 'lltm_forward: expected no error'
  call linear_forward(b, weight, output, workspace=workspace)
  call linear_forward(b(:, :1), weight, output(:, :1), workspace=workspace)
  if (any(abs(output - 3) > 0)) error stop 'linear_forward: wrong values'
  call add_forward(2., 3., scalar)
  if (abs(scalar - 5) > 0) error stop 'add_forward: wrong scalar'

  ! Sections are copied in and out; the rows between stay as they were.
  wide = -1
  call add_forward(a, a, wide(1:3:2, :))
  if (any(abs(wide(1:3:2, :) - 2 * a) > 0) .or. any(abs(wide(2:4:2, :) + 1) > 0)) error stop 'add_forward: wrong section'
  call add_forward(transpose(b), a, sum)
  if (any(abs(sum - reshape([(real(i, c_float), i = 2, 7)], [2, 3])) > 0)) error stop 'add_forward: wrong values'

contains

  subroutine expect(message, name)
    character(*), intent(in) :: message
    character(*), intent(in), optional :: name
    character(:), allocatable :: wanted
    wanted = 'MY_LIB_ERROR_SHAPE_MISMATCH'
    if (present(name)) wanted = name
    if (error%code == 0) error stop 'expected an error: ' // message
    if (error%message /= message .or. error%name /= wanted) error stop 'got ' // error%name // ': ' // error%message
  end subroutine

end program test_my_lib
