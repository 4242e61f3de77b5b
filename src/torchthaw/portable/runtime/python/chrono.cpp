// portable/runtime/python/chrono.cpp: reads and makes datetime's objects, by their attributes.
#include "portable/python/stl/chrono.h"

namespace pybind11 {
namespace detail {

namespace {

/// A class of the module datetime, which is imported once.
handle datetime_class(const char *name) { return module_::import("datetime").attr(name).get().ptr(); }

int number_of(handle value, const char *attribute) { return int_(value.attr(attribute)); }

}  // namespace

bool load_time_difference(PyObject *source, time_difference &value) {
    if (PyFloat_Check(source)) {
        value = {0, 0, 0, PyFloat_AsDouble(source), true};
        return true;
    }
    if (!isinstance(source, datetime_class("timedelta"))) return false;
    value = {number_of(source, "days"), number_of(source, "seconds"), number_of(source, "microseconds"), 0, false};
    return true;
}

bool load_time(PyObject *source, std::tm &value, int &microseconds) {
    bool is_datetime = isinstance(source, datetime_class("datetime"));
    bool has_date = is_datetime || isinstance(source, datetime_class("date"));
    bool has_time = is_datetime || isinstance(source, datetime_class("time"));
    if (!has_date && !has_time) return false;
    value = std::tm{};
    value.tm_isdst = -1;
    value.tm_mday = has_date ? number_of(source, "day") : 1;
    value.tm_mon = has_date ? number_of(source, "month") - 1 : 0;
    value.tm_year = has_date ? number_of(source, "year") - 1900 : 70;
    if (has_time) {
        value.tm_sec = number_of(source, "second");
        value.tm_min = number_of(source, "minute");
        value.tm_hour = number_of(source, "hour");
    }
    microseconds = has_time ? number_of(source, "microsecond") : 0;
    return true;
}

PyObject *make_time_difference(int days, int seconds, int microseconds) {
    return datetime_class("timedelta")(days, seconds, microseconds).release().ptr();
}

PyObject *make_time(std::time_t seconds, int microseconds) {
    std::tm local;
    if (!localtime_r(&seconds, &local)) throw cast_error("Unable to represent system_clock in local time");
    object made = datetime_class("datetime")(local.tm_year + 1900, local.tm_mon + 1, local.tm_mday, local.tm_hour,
                                             local.tm_min, local.tm_sec, microseconds);
    return made.release().ptr();
}

}  // namespace detail
}  // namespace pybind11
