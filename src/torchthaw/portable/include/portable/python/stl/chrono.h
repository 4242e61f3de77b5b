// portable/python/stl/chrono.h: pybind11/chrono.h: durations as datetime.timedelta, points of the system clock as datetime.
#pragma once
#include "portable/python/module.h"

#include <chrono>
#include <ctime>

namespace pybind11 {
namespace detail {

/// A datetime.timedelta, or a float of seconds.
struct time_difference {
    int days, seconds, microseconds;
    double fractional;  ///< all of it, where the object is a float
    bool is_float;
};
// False, without a Python error, for objects of other types.
bool load_time_difference(PyObject *source, time_difference &value);
/// A datetime, a date (midnight) or a time (of 1970-01-01), in local time.
bool load_time(PyObject *source, std::tm &value, int &microseconds);
// New references; null with a Python error.
PyObject *make_time_difference(int days, int seconds, int microseconds);
PyObject *make_time(std::time_t seconds, int microseconds);

template <class Rep, class Period> struct caster<std::chrono::duration<Rep, Period>> {
    using Duration = std::chrono::duration<Rep, Period>;
    using days_t = std::chrono::duration<int, std::ratio<86400>>;
    using microseconds_t = std::chrono::duration<int, std::micro>;

    static bool load(PyObject *source, Duration &value, bool) {
        using namespace std::chrono;
        time_difference found;
        if (!load_time_difference(source, found)) return false;
        if (found.is_float)
            value = duration_cast<Duration>(duration<double>(found.fractional));
        else
            value = duration_cast<Duration>(days_t(found.days) + seconds(found.seconds) +
                                            microseconds(found.microseconds));
        return true;
    }
    static PyObject *make(const Duration &value, return_value_policy, handle) {
        using namespace std::chrono;
        auto days = duration_cast<days_t>(value);
        auto rest = value - days;
        auto whole = duration_cast<duration<int>>(rest);
        return make_time_difference(days.count(), whole.count(), duration_cast<microseconds_t>(rest - whole).count());
    }
    static constexpr const char *name = "datetime.timedelta";
};

/// Points of other clocks: the time since the clock's start.
template <class Clock, class Duration> struct caster<std::chrono::time_point<Clock, Duration>> {
    using Point = std::chrono::time_point<Clock, Duration>;
    static bool load(PyObject *source, Point &value, bool convert) {
        Duration since;
        if (!caster<Duration>::load(source, since, convert)) return false;
        value = Point(since);
        return true;
    }
    static PyObject *make(const Point &value, return_value_policy policy, handle parent) {
        return caster<Duration>::make(value.time_since_epoch(), policy, parent);
    }
    static constexpr const char *name = "datetime.timedelta";
};

template <class Duration> struct caster<std::chrono::time_point<std::chrono::system_clock, Duration>> {
    using Clock = std::chrono::system_clock;
    using Point = std::chrono::time_point<Clock, Duration>;
    static bool load(PyObject *source, Point &value, bool) {
        std::tm calendar{};
        int microseconds = 0;
        if (!load_time(source, calendar, microseconds)) return false;
        value = std::chrono::time_point_cast<Duration>(Clock::from_time_t(std::mktime(&calendar)) +
                                                       std::chrono::microseconds(microseconds));
        return true;
    }
    static PyObject *make(const Point &value, return_value_policy, handle) {
        using namespace std::chrono;
        auto part = duration_cast<microseconds>(value.time_since_epoch() % seconds(1));
        if (part.count() < 0) part += seconds(1);
        return make_time(Clock::to_time_t(time_point_cast<Clock::duration>(value - part)),
            static_cast<int>(part.count()));
    }
    static constexpr const char *name = "datetime.datetime";
};

}  // namespace detail
}  // namespace pybind11
