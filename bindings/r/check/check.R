# bindings/r/check/check.R: the test program: vectors DIR, marks, threads, time, version.
suppressPackageStartupMessages(library(mylib))

expect <- function(what, got, expected)
  if (!identical(got, expected)) stop(what, ": expected ", format(expected), ", got ", format(got), call. = FALSE)

# ---- vectors ----

# The entries of index.txt. `sizes` of an array are C's, NULL where it is absent.
read_index <- function(path) {
  entries <- list()
  entry <- NULL
  for (line in readLines(path)) {
    fields <- strsplit(line, " ", fixed = TRUE)[[1]]
    word <- fields[1]
    if (word %in% c("case", "error")) {
      entry <- list(kind = word, head = fields[-1], sizes = list(), arrays = list())
    } else if (word == "size") {
      entry$sizes[[fields[2]]] <- as.integer(fields[3])
    } else if (word %in% c("in", "out")) {
      numbers <- as.integer(fields[-(1:2)])
      array <- list(name = fields[2], is_output = word == "out", is_absent = numbers[1] == -1, sizes = numbers[-1])
      entry$arrays[[length(entry$arrays) + 1]] <- array
    } else if (word == "text") {
      entry$text <- substring(line, 6)
    } else {
      entries[[length(entries) + 1]] <- entry
    }
  }
  entries
}

# An array of C's sizes: R's are the reverse.
make <- function(values, sizes) if (length(sizes) < 2) values else array(values, rev(sizes))

replay <- function(folder, entry) {
  file <- file(file.path(folder, entry$head[3]), "rb")
  on.exit(close(file))
  arguments <- expected <- list()
  for (each in entry$arrays) {
    count <- prod(each$sizes)
    if (each$is_absent) {
      arguments[each$name] <- list(if (each$is_output) FALSE else NULL)
    } else {
      values <- make(readBin(file, "numeric", count, size = 4, endian = "little"), each$sizes)
      expect(paste(entry$head[1], each$name), length(values), as.integer(count))
      arguments[[each$name]] <- if (each$is_output) make(rep(NaN, count), each$sizes) else values
      if (each$is_output) expected[[each$name]] <- values
    }
  }
  compare <- function(name, got, wanted) {
    is_close <- abs(got - wanted) <= as.numeric(entry$head[5]) + as.numeric(entry$head[4]) * abs(wanted)
    if (length(got) != length(wanted) || !all(is_close %in% TRUE))
      stop(entry$head[1], ": ", name, ": expected ", format(wanted), ", got ", format(got), call. = FALSE)
  }
  do.call(entry$head[2], arguments) # into arrays that are given, and then into new ones
  for (name in names(expected)) compare(name, arguments[[name]], expected[[name]])
  arguments[names(expected)] <- TRUE
  returned <- do.call(entry$head[2], arguments)
  if (!is.list(returned)) returned <- list(output = returned)
  for (name in names(expected)) compare(name, returned[[name]], expected[[name]])
}

provoke <- function(entry) {
  arrays <- lapply(entry$arrays, function(each) array(0, each$sizes))
  sizes <- entry$sizes
  got <- switch(entry$head[1],
    "add_forward-shapes" = tryCatch(add_forward(arrays[[1]], arrays[[2]]), my_lib_error = identity),
    "linear_forward-negative" = do.call(.Call, c("raw_linear_forward", unname(sizes))),
    "lltm_forward-workspace" = do.call(.Call, c("raw_lltm_forward", arrays, unname(sizes))))
  expect(entry$head[1], got$code, as.integer(entry$head[3]))
  expect(entry$head[1], got$name, entry$head[4])
  expect(entry$head[1], got$message, entry$text)
}

vectors <- function(folder) {
  dyn.load(Sys.getenv("CHECK_RAW"))
  entries <- read_index(file.path(folder, "index.txt"))
  kinds <- vapply(entries, function(entry) entry$kind, "")
  for (entry in entries) if (entry$kind == "case") replay(folder, entry) else provoke(entry)
  cat(sprintf("vectors %d\nerrors %d\n", sum(kinds == "case"), sum(kinds == "error")))
}

# ---- marks: whether C gets these very arrays ----

marks <- function() {
  count <- 0
  marked <- function(call, arrays) {
    do.call(call, arrays)
    for (each in arrays) expect(call, each[1], 1234.5)
    count <<- count + length(arrays)
  }
  zeros <- function(...) if (...length() > 1) array(0, c(...)) else numeric(...)
  marked("add_forward", list(zeros(2, 3), zeros(2, 3), zeros(2, 3)))
  marked("linear_forward", list(zeros(3, 2), zeros(3, 4), zeros(4), zeros(4, 2)))
  marked("lltm_forward", list(zeros(5, 3), zeros(9, 12), zeros(12), zeros(4, 3), zeros(4, 3), zeros(4, 3),
                              zeros(4, 3), zeros(12, 3)))
  marked("lltm_sequence_forward", list(zeros(5, 3, 2), zeros(9, 12), zeros(12), zeros(4, 3), zeros(4, 3),
                                       zeros(4, 3, 2), zeros(4, 3, 2), zeros(12, 3, 2)))
  cat(sprintf("marks %d\n", count))
}

# ---- threads: R has one, so 8 forked children, after a large call that OpenMP has shared ----

work <- function(number, rounds = 10, small_calls = 200) {
  size <- 256 # all values are small integers, so that sums are exact
  input <- matrix(seq_len(size * size) %% 7, size)
  weight <- matrix(seq_len(size * size) %% 5, size)
  expected <- t(weight) %*% input + number
  small <- matrix(number, 2, 3)
  wrong <- sprintf("input2: expected shape (2, 3), got (2, %d)", number + 4L)
  for (round in seq_len(rounds)) {
    expect("linear_forward", linear_forward(input, weight, rep(number, size)), expected)
    for (i in seq_len(small_calls)) {
      expect("add_forward", add_forward(small, small), 2 * small)
      got <- tryCatch(add_forward(small, matrix(0, 2, number + 4)), my_lib_error = conditionMessage)
      expect("add_forward", got, wrong)
    }
  }
  rounds * (1 + 2 * small_calls)
}

threads <- function() {
  here <- work(0L, rounds = 2)
  made <- parallel::mclapply(seq_len(8), work, mc.cores = 8, mc.preschedule = FALSE)
  failures <- Filter(function(result) !is.numeric(result), made)
  if (length(failures)) stop(as.character(failures[[1]]), call. = FALSE)
  cat(sprintf("threads %d\n", here + work(0L, rounds = 2) + sum(unlist(made))))
}

# ---- time ----

time <- function() {
  input1 <- rep(1.5, 25)
  input2 <- rep(2.5, 25)
  output <- numeric(25)
  calls <- 300 # a loop takes less than 0.5 ms
  once <- function() {
    start <- Sys.time()
    for (i in seq_len(calls)) add_forward(input1, input2, output)
    as.numeric(Sys.time() - start, units = "secs")
  }
  least <- min(vapply(seq_len(1000), function(i) once(), 0))
  expect("add_forward", output, rep(4, 25))
  cat(sprintf("time %.1f\n", least / calls * 1e9))
}

# ---- ----

arguments <- commandArgs(trailingOnly = TRUE)
switch(arguments[1],
  vectors = vectors(arguments[2]), marks = marks(), threads = threads(), time = time(),
  version = cat("version", mylib::version(), "\n", sep = c(" ", "", "")),
  stop("expected vectors DIR, marks, threads, time or version, got ", arguments[1]))
