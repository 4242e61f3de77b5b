! bindings/fortran/check/check_threads.f90: 8 threads at once: large calls that OpenMP shares, small ones, and errors.
!
! They are threads of the system: a call inside a parallel region of OpenMP would not be shared again.
module check_threads
  use, intrinsic :: iso_c_binding
  use my_lib
  implicit none
  private
  public :: run_threads

  integer, parameter :: threads = 8, rounds = 25, small_calls = 200, n = 256

  type, bind(c) :: thread
    integer(c_int) :: number, calls
    logical(c_bool) :: failed
  end type

  interface
    integer(c_int) function pthread_create(id, attributes, work, argument) bind(c)
      import
      integer(c_long), intent(out) :: id
      type(c_ptr), value :: attributes, argument
      type(c_funptr), value :: work
    end function
    integer(c_int) function pthread_join(id, result) bind(c)
      import
      integer(c_long), value :: id
      type(c_ptr), value :: result
    end function
  end interface

contains

  subroutine run_threads
    type(thread), target :: all_threads(threads)
    integer(c_long) :: ids(threads)
    integer :: i
    do i = 1, threads
      all_threads(i) = thread(i, 0, .false._c_bool)
      if (pthread_create(ids(i), c_null_ptr, c_funloc(work), c_loc(all_threads(i))) /= 0) error stop 'pthread_create'
    end do
    do i = 1, threads
      if (pthread_join(ids(i), c_null_ptr) /= 0) error stop 'pthread_join'
    end do
    if (any(all_threads%failed)) error stop 'threads: wrong values or messages'
    print '(a, i0)', 'threads ', sum(all_threads%calls)
  end subroutine

  ! All values are small integers, so that sums are exact.
  type(c_ptr) function work(argument) bind(c)
    type(c_ptr), value :: argument
    type(thread), pointer :: me
    type(my_lib_workspace) :: workspace
    type(my_lib_error) :: error
    real(c_float), allocatable :: input(:, :), weight(:, :), bias(:), output(:, :), expected(:, :)
    real(c_float), allocatable :: small(:, :), sum(:, :), other(:, :)
    character(60) :: wanted
    integer :: i, j, round
    work = c_null_ptr
    call c_f_pointer(argument, me)
    allocate (input(n, n), weight(n, n), bias(n), output(n, n), small(2, 3), sum(2, 3), other(2, me%number + 3))
    do j = 1, n
      do i = 1, n
        input(i, j) = real(mod(i + 2 * j, 7), c_float)
        weight(i, j) = real(mod(i + 3 * j, 5), c_float)
      end do
    end do
    bias = real(me%number, c_float)
    expected = matmul(transpose(weight), input) + me%number
    small = real(me%number, c_float)
    write (wanted, '(a, i0, a)') 'input2: expected shape (2, 3), got (2, ', me%number + 3, ')'
    do round = 1, rounds
      output = -1
      call linear_forward(input, weight, output, bias, workspace)
      if (any(output /= expected)) me%failed = .true.
      do i = 1, small_calls
        call add_forward(small, small, sum)
        call add_forward(small, other, sum, error)
        if (error%message /= wanted .or. any(sum /= 2 * me%number)) me%failed = .true.
      end do
      me%calls = me%calls + 1 + 2 * small_calls
    end do
  end function

end module check_threads
