// portable/core/logging.h: LOG, CHECK and their kin of glog, which PyTorch's headers bring; what profilers are told.
#pragma once
#include "error.h"

namespace torchthaw {

enum class Severity { INFO, WARNING, ERROR, FATAL };

/// A line for stderr; below WARNING nothing is printed. FATAL throws c10::Error where the line ends.
struct LogLine {
    Severity severity;
    std::ostringstream text;
    LogLine(Severity severity, const char *words = "") : severity(severity) { text << words; }
    template <class T>
    LogLine &operator<<(const T &value) {
        text << value;
        return *this;
    }
};
/// `EndOfLine() & line << words`: & binds less than <<.
struct EndOfLine {
    void operator&(const LogLine &line) const {
        if (line.severity == Severity::FATAL) fail(line.text.str());
        if (line.severity >= Severity::WARNING) std::cerr << line.text.str() + "\n";
    }
};

}  // namespace torchthaw

#define TORCHTHAW_LOG_IF(severity, condition, words)                                                                   \
    !(condition) ? static_cast<void>(0)                                                                                \
                 : ::torchthaw::EndOfLine() & ::torchthaw::LogLine(::torchthaw::Severity::severity, words)
#define LOG_IF(severity, condition) TORCHTHAW_LOG_IF(severity, condition, "")
#define LOG(severity) LOG_IF(severity, true)
#define VLOG(level) LOG_IF(INFO, false)
#define VLOG_IF(level, condition) LOG_IF(INFO, false)
#define VLOG_IS_ON(level) false
#define LOG_EVERY_MS(severity, milliseconds) LOG(severity)
#define LOG_FIRST_N(severity, n) LOG(severity)

#define CHECK(condition) TORCHTHAW_LOG_IF(FATAL, !(condition), "Check failed: " #condition " ")
#define TORCHTHAW_CHECK_TWO(a, symbol, b) TORCHTHAW_LOG_IF(FATAL, !((a)symbol(b)), "Check failed: " #a " " #symbol " " #b " ")
#define CHECK_EQ(a, b) TORCHTHAW_CHECK_TWO(a, ==, b)
#define CHECK_NE(a, b) TORCHTHAW_CHECK_TWO(a, !=, b)
#define CHECK_LT(a, b) TORCHTHAW_CHECK_TWO(a, <, b)
#define CHECK_LE(a, b) TORCHTHAW_CHECK_TWO(a, <=, b)
#define CHECK_GT(a, b) TORCHTHAW_CHECK_TWO(a, >, b)
#define CHECK_GE(a, b) TORCHTHAW_CHECK_TWO(a, >=, b)
#ifdef NDEBUG
#define TORCHTHAW_DEBUG false
#else
#define TORCHTHAW_DEBUG true
#endif
#define DCHECK(condition) TORCHTHAW_LOG_IF(FATAL, TORCHTHAW_DEBUG && !(condition), "Check failed: " #condition " ")
#define TORCHTHAW_DCHECK_TWO(a, symbol, b)                                                                             \
    TORCHTHAW_LOG_IF(FATAL, TORCHTHAW_DEBUG && !((a)symbol(b)), "Check failed: " #a " " #symbol " " #b " ")
#define DCHECK_EQ(a, b) TORCHTHAW_DCHECK_TWO(a, ==, b)
#define DCHECK_NE(a, b) TORCHTHAW_DCHECK_TWO(a, !=, b)
#define DCHECK_LT(a, b) TORCHTHAW_DCHECK_TWO(a, <, b)
#define DCHECK_LE(a, b) TORCHTHAW_DCHECK_TWO(a, <=, b)
#define DCHECK_GT(a, b) TORCHTHAW_DCHECK_TWO(a, >, b)
#define DCHECK_GE(a, b) TORCHTHAW_DCHECK_TWO(a, >=, b)

namespace c10 {
/// Nothing: lines of INFO stay unprinted.
inline void ShowLogInfoToStderr() {}
}  // namespace c10

// Profilers see the operators below it.
#define RECORD_FUNCTION(...) static_cast<void>(0)
#define RECORD_USER_SCOPE(...) static_cast<void>(0)
#define C10_LOG_API_USAGE_ONCE(...) static_cast<void>(0)
