! bindings/fortran/check/check.f90: the test program: vectors DIR, marks, threads, time, version.
program check
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  use, intrinsic :: iso_c_binding
  use my_lib
  use check_vectors, only: replay_all
  use check_threads, only: run_threads
  implicit none
  character(1000) :: what, folder

  call get_command_argument(1, what)
  call get_command_argument(2, folder)
  select case (what)
  case ('vectors')
    call replay_all(trim(folder))
  case ('marks')
    call marks
  case ('threads')
    call run_threads
  case ('time')
    call time
  case ('version')
    print '(2a)', 'version ', version()
  case default
    write (error_unit, '(2a)') 'expected vectors DIR, marks, threads, time or version, got ', trim(what)
    stop 1, quiet=.true.
  end select

contains

  ! Whether C gets these very arrays: the stand-in library has marked each. A section that is not contiguous is copied,
  ! and copied back.
  subroutine marks
    real(c_float), allocatable :: input1(:, :), input2(:, :), output(:, :), input(:, :), weight(:, :), bias(:), y(:, :)
    real(c_float), allocatable :: x(:, :), weights(:, :), old_h(:, :), old_cell(:, :), h(:, :), cell(:, :), gates(:, :)
    real(c_float), allocatable :: xs(:, :, :), hs(:, :, :), cells(:, :, :), all_gates(:, :, :)
    integer :: count
    count = 0
    allocate (input1(3, 2), input2(3, 2), output(3, 2), input(3, 2), weight(3, 4), bias(4), y(4, 2), source=0.)
    call add_forward(input1, input2, output)
    call marked('add_forward', [input1(1, 1), input2(1, 1), output(1, 1)], count)
    call linear_forward(input, weight, y, bias)
    call marked('linear_forward', [input(1, 1), weight(1, 1), bias(1), y(1, 1)], count)
    deallocate (bias)
    allocate (x(5, 3), weights(9, 12), bias(12), old_h(4, 3), old_cell(4, 3), source=0.)
    allocate (h(4, 3), cell(4, 3), gates(12, 3), source=0.)
    call lltm_forward(x, weights, bias, old_h, old_cell, h, cell, gates)
    call marked('lltm_forward', [x(1, 1), weights(1, 1), bias(1), old_h(1, 1), old_cell(1, 1), h(1, 1), cell(1, 1), &
      gates(1, 1)], count)
    weights = 0
    bias = 0
    old_h = 0
    old_cell = 0
    allocate (xs(5, 3, 2), hs(4, 3, 2), cells(4, 3, 2), all_gates(12, 3, 2), source=0.)
    call lltm_sequence_forward(xs, weights, bias, old_h, old_cell, hs, cells, all_gates)
    call marked('lltm_sequence_forward', [xs(1, 1, 1), weights(1, 1), bias(1), old_h(1, 1), old_cell(1, 1), &
      hs(1, 1, 1), cells(1, 1, 1), all_gates(1, 1, 1)], count)
    print '(a, i0)', 'marks ', count
  end subroutine

  subroutine marked(name, first, count)
    character(*), intent(in) :: name
    real(c_float), intent(in) :: first(:)
    integer, intent(inout) :: count
    if (any(first /= 1234.5)) then
      write (error_unit, *) name, ': expected the mark 1234.5 in all arrays, got ', first
      stop 1, quiet=.true.
    end if
    count = count + size(first)
  end subroutine

  subroutine time
    integer, parameter :: loops = 1000, calls = 1000 ! a loop takes about 25 microseconds: some are not interrupted
    real(c_float) :: a(25), b(25), sum(25)
    integer(int64) :: start, end, rate
    real(real64) :: least
    integer :: i, j
    a = 1.5
    b = 2.5
    least = huge(least)
    do i = 1, loops
      call system_clock(start, rate)
      do j = 1, calls
        call add_forward(a, b, sum)
      end do
      call system_clock(end)
      least = min(least, real(end - start, real64) / rate)
    end do
    if (any(sum /= 4)) error stop 'add_forward: wrong values'
    print '(a, f0.2)', 'time ', least / calls * 1e9_real64
  end subroutine

end program check
