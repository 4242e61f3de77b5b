! bindings/fortran/check/check_vectors.f90: replays the vectors and errors of index.txt.
module check_vectors
  use, intrinsic :: iso_fortran_env, only: error_unit, iostat_end
  use, intrinsic :: iso_c_binding
  use my_lib
  use my_lib_c, only: my_lib_error_name, my_lib_last_error_code, my_lib_last_error_message, my_lib_linear_forward, &
    raw_lltm_forward => lltm_forward
  implicit none
  private
  public :: replay_all

  ! sizes as in the index, which is C's order; values holds an input, or what is expected of an output.
  type :: array
    character(32) :: name
    logical :: is_output, is_present
    integer(c_int64_t) :: sizes(8)
    integer :: dimensions
    real(c_float), allocatable :: values(:), output(:)
  end type

  ! fields: the words of the line `case` or `error`.
  type :: entry
    character(200) :: fields(6)
    character(500) :: text
    character(32) :: size_names(4)
    integer(c_int64_t) :: sizes(4)
    type(array) :: arrays(16)
    integer :: size_count, array_count
  end type

contains

  subroutine replay_all(folder)
    character(*), intent(in) :: folder
    type(entry), target :: current
    type(my_lib_workspace) :: workspace
    character(1000) :: line
    integer :: unit, status, cases, errors
    cases = 0
    errors = 0
    open (newunit=unit, file=folder // '/index.txt', status='old', action='read')
    do
      read (unit, '(a)', iostat=status) line
      if (status == iostat_end) exit
      call read_line(trim(line), current)
      if (line /= 'end') cycle
      if (current%fields(1) == 'case') then
        call replay(folder, current, workspace)
        cases = cases + 1
      else
        call provoke(current)
        errors = errors + 1
      end if
    end do
    close (unit)
    print '(a, i0)', 'vectors ', cases
    print '(a, i0)', 'errors ', errors
  end subroutine

  subroutine read_line(line, current)
    character(*), intent(in) :: line
    type(entry), intent(inout) :: current
    character(200) :: words(14)
    integer :: count, i
    call split(line, words, count)
    select case (words(1))
    case ('case', 'error')
      current%fields = words(:6)
      current%size_count = 0
      current%array_count = 0
    case ('size')
      current%size_count = current%size_count + 1
      current%size_names(current%size_count) = words(2)
      read (words(3), *) current%sizes(current%size_count)
    case ('in', 'out')
      current%array_count = current%array_count + 1
      associate (last => current%arrays(current%array_count))
        last%name = words(2)
        last%is_output = words(1) == 'out'
        read (words(3), *) last%dimensions
        last%is_present = last%dimensions >= 0
        last%sizes = 1
        do i = 1, last%dimensions
          read (words(3 + i), *) last%sizes(i)
        end do
      end associate
    case ('text')
      current%text = line(len('text ') + 1:)
    end select
  end subroutine

  subroutine split(line, words, count)
    character(*), intent(in) :: line
    character(*), intent(out) :: words(:)
    integer, intent(out) :: count
    integer :: start, length
    words = ''
    count = 0
    start = 1
    do while (start <= len(line) .and. count < size(words))
      length = index(line(start:) // ' ', ' ') - 1
      count = count + 1
      words(count) = line(start:start + length - 1)
      start = start + length + 1
    end do
  end subroutine

  subroutine replay(folder, current, workspace)
    character(*), intent(in) :: folder
    type(entry), intent(inout), target :: current
    type(my_lib_workspace), intent(inout) :: workspace
    real(c_float) :: rtol, atol
    integer :: unit, i
    open (newunit=unit, file=folder // '/' // trim(current%fields(4)), status='old', action='read', access='stream', &
      form='unformatted')
    do i = 1, current%array_count
      associate (each => current%arrays(i))
        if (allocated(each%values)) deallocate (each%values)
        if (allocated(each%output)) deallocate (each%output)
        if (.not. each%is_present) cycle
        allocate (each%values(product(each%sizes)), each%output(product(each%sizes)))
        read (unit) each%values
        each%output = transfer(-1_c_int, 1.) ! NaN
      end associate
    end do
    close (unit)
    call call_function(current, workspace)
    read (current%fields(5), *) rtol
    read (current%fields(6), *) atol
    do i = 1, current%array_count
      associate (each => current%arrays(i))
        if (.not. (each%is_output .and. each%is_present)) cycle
        if (.not. all(abs(each%output - each%values) <= atol + rtol * abs(each%values))) then ! a NaN is not within
          write (error_unit, '(4a)') trim(current%fields(2)), ': ', trim(each%name), ': wrong values'
          stop 1, quiet=.true.
        end if
      end associate
    end do
  end subroutine

  ! The arrays of one case, by name, with Fortran's sizes: those of C in reverse. One that is absent is a null pointer,
  ! and so an absent argument.
  function p1(current, name) result(pointer)
    type(entry), intent(inout), target :: current
    character(*), intent(in) :: name
    real(c_float), pointer, contiguous :: pointer(:), values(:)
    integer(c_int64_t) :: s(8)
    call find(current, name, values, s)
    pointer => values
  end function

  function p2(current, name) result(pointer)
    type(entry), intent(inout), target :: current
    character(*), intent(in) :: name
    real(c_float), pointer, contiguous :: pointer(:, :), values(:)
    integer(c_int64_t) :: s(8)
    call find(current, name, values, s)
    pointer => null()
    if (associated(values)) pointer(1:s(2), 1:s(1)) => values
  end function

  function p3(current, name) result(pointer)
    type(entry), intent(inout), target :: current
    character(*), intent(in) :: name
    real(c_float), pointer, contiguous :: pointer(:, :, :), values(:)
    integer(c_int64_t) :: s(8)
    call find(current, name, values, s)
    pointer => null()
    if (associated(values)) pointer(1:s(3), 1:s(2), 1:s(1)) => values
  end function

  subroutine find(current, name, values, sizes)
    type(entry), intent(inout), target :: current
    character(*), intent(in) :: name
    real(c_float), pointer, contiguous, intent(out) :: values(:)
    integer(c_int64_t), intent(out) :: sizes(8)
    integer :: i
    values => null()
    do i = 1, current%array_count
      if (current%arrays(i)%name /= name .or. .not. current%arrays(i)%is_present) cycle
      sizes = current%arrays(i)%sizes
      if (current%arrays(i)%is_output) then
        values => current%arrays(i)%output
      else
        values => current%arrays(i)%values
      end if
    end do
  end subroutine

  subroutine call_function(c, w)
    type(entry), intent(inout), target :: c
    type(my_lib_workspace), intent(inout) :: w
    select case (c%fields(3))
    case ('add_forward', 'add_backward')
      call add_of_any_rank(c)
    case ('linear_forward')
      call linear_forward(p2(c, 'input'), p2(c, 'weight'), p2(c, 'output'), p1(c, 'bias'), w)
    case ('linear_backward')
      call linear_backward(p2(c, 'grad_output'), p2(c, 'input'), p2(c, 'weight'), p2(c, 'grad_input'), &
        p2(c, 'grad_weight'), p1(c, 'grad_bias'), w)
    case ('lltm_forward')
      call lltm_forward(p2(c, 'input'), p2(c, 'weights'), p1(c, 'bias'), p2(c, 'old_h'), p2(c, 'old_cell'), &
        p2(c, 'new_h'), p2(c, 'new_cell'), p2(c, 'gates'), w)
    case ('lltm_backward')
      call lltm_backward(p2(c, 'grad_h'), p2(c, 'grad_cell'), p2(c, 'new_cell'), p2(c, 'gates'), p2(c, 'input'), &
        p2(c, 'old_h'), p2(c, 'weights'), p2(c, 'd_input'), p2(c, 'd_weights'), p1(c, 'd_bias'), p2(c, 'd_old_h'), &
        p2(c, 'd_old_cell'), w)
    case ('lltm_sequence_forward')
      call lltm_sequence_forward(p3(c, 'input'), p2(c, 'weights'), p1(c, 'bias'), p2(c, 'old_h'), p2(c, 'old_cell'), &
        p3(c, 'h'), p3(c, 'cell'), p3(c, 'gates'), w)
    case ('lltm_sequence_backward')
      call lltm_sequence_backward(p3(c, 'grad_h'), p3(c, 'cell'), p3(c, 'gates'), p3(c, 'input'), p3(c, 'h'), &
        p2(c, 'old_h'), p2(c, 'old_cell'), p2(c, 'weights'), p2(c, 'grad_last_h'), p2(c, 'grad_last_cell'), &
        p3(c, 'd_input'), p2(c, 'd_weights'), p1(c, 'd_bias'), p2(c, 'd_old_h'), p2(c, 'd_old_cell'), w)
    case default
      error stop 'unknown function in index.txt'
    end select
  end subroutine

  ! A scalar, a vector, two and three dimensions as such; more dimensions as three.
  subroutine add_of_any_rank(c)
    type(entry), intent(inout), target :: c
    character(11) :: a, b, output
    real(c_float), pointer, contiguous :: v1(:), v2(:), v3(:)
    integer :: i
    associate (is_forward => c%fields(3) == 'add_forward')
      a = c%arrays(1)%name
      b = c%arrays(2)%name
      output = c%arrays(3)%name
      v1 => p1(c, trim(a))
      v2 => p1(c, trim(b))
      v3 => p1(c, trim(output))
      do i = 4, c%arrays(1)%dimensions
        c%arrays(:3)%sizes(3) = c%arrays(:3)%sizes(3) * c%arrays(:3)%sizes(i)
      end do
      select case (c%arrays(1)%dimensions)
      case (0)
        if (is_forward) call add_forward(v1(1), v2(1), v3(1))
        if (.not. is_forward) call add_backward(v1(1), v2(1), v3(1))
      case (1)
        if (is_forward) call add_forward(v1, v2, v3)
        if (.not. is_forward) call add_backward(v1, v2, v3)
      case (2)
        if (is_forward) call add_forward(p2(c, trim(a)), p2(c, trim(b)), p2(c, trim(output)))
        if (.not. is_forward) call add_backward(p2(c, trim(a)), p2(c, trim(b)), p2(c, trim(output)))
      case default
        if (is_forward) call add_forward(p3(c, trim(a)), p3(c, trim(b)), p3(c, trim(output)))
        if (.not. is_forward) call add_backward(p3(c, trim(a)), p3(c, trim(b)), p3(c, trim(output)))
      end select
    end associate
  end subroutine

  ! One error of the index. The arrays of add have the index's sizes in Fortran's order: so the message must be the
  ! same.
  subroutine provoke(current)
    type(entry), intent(inout) :: current
    type(my_lib_error) :: error
    real(c_float), allocatable :: input1(:, :), input2(:, :), output(:, :)
    real(c_float), target :: x(4), weights(24), bias(6), old_h(4), old_cell(4), h(4), cell(4), gates(12)
    integer(c_int) :: status, code
    status = 0
    select case (current%fields(2))
    case ('add_forward-shapes')
      associate (first => current%arrays(1)%sizes, second => current%arrays(2)%sizes)
        allocate (input1(first(1), first(2)), output(first(1), first(2)), input2(second(1), second(2)), source=1.)
      end associate
      call add_forward(input1, input2, output, error)
    case ('linear_forward-negative')
      associate (s => current%sizes)
        status = my_lib_linear_forward(c_null_ptr, c_null_ptr, c_null_ptr, s(1), s(2), s(3), c_null_ptr, c_null_ptr, &
          0_c_size_t)
      end associate
      call last(error)
    case ('lltm_forward-workspace')
      weights = 1
      bias = 1
      x = 1
      old_h = 1
      old_cell = 1
      associate (s => current%sizes)
        status = raw_lltm_forward(c_loc(x), c_loc(weights), c_loc(bias), c_loc(old_h), c_loc(old_cell), s(1), s(2), s(3), &
          c_loc(h), c_loc(cell), c_loc(gates), c_null_ptr, 0_c_size_t)
      end associate
      call last(error)
    case default
      error stop 'unknown error in index.txt'
    end select
    read (current%fields(4), *) code
    if (status /= 0 .or. error%code /= code .or. error%name /= current%fields(5) .or. error%message /= current%text) then
      write (error_unit, '(6a)') trim(current%fields(2)), ': expected ', trim(current%text), ', got ', error%name, &
        error%message
      stop 1, quiet=.true.
    end if
  end subroutine

  subroutine last(error)
    type(my_lib_error), intent(out) :: error
    error%code = my_lib_last_error_code()
    error%name = c_text(my_lib_error_name(error%code))
    error%message = c_text(my_lib_last_error_message())
  end subroutine

  function c_text(address)
    type(c_ptr), intent(in) :: address
    character(:), allocatable :: c_text
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    call c_f_pointer(address, characters, [1000])
    c_text = ''
    do i = 1, 1000
      if (characters(i) == c_null_char) exit
      c_text = c_text // characters(i)
    end do
  end function

end module check_vectors
