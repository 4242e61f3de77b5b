// c_api/th/math/scalars.cpp: functions of single numbers, and sums of numbers that are given by their logarithms.
#include <TH/TH.h>

#include <cmath>

extern "C" {

const double THLog2Pi = 1.83787706640934548355;
const double THLogZero = -DBL_MAX;
const double THLogOne = 0;

double THLogAdd(double log_a, double log_b) {
    const double larger = log_a < log_b ? log_b : log_a, difference = (log_a < log_b ? log_a : log_b) - larger;
    return difference < -18.42 || std::isnan(difference) ? larger : larger + std::log1p(std::exp(difference));
}

double THLogSub(double log_a, double log_b) {
    if (log_a < log_b) THError("LogSub: log_a (%f) should be greater than log_b (%f)", log_a, log_b);
    const double difference = log_b - log_a;
    if (log_a == log_b) return THLogZero;
    return difference < -18.42 ? log_a : log_a + std::log1p(-std::exp(difference));
}

// (1 + x/8 + (x/8)^2/2 + ... + (x/8)^4/24) to the power -8.
double THExpMinusApprox(const double x) {
    if (!(x < 13.0)) return 0;
    double y = 1 + x * (0.125 + x * (0.0078125 + x * (0.00032552083 + x * 1.0172526e-5)));
    y *= y;
    y *= y;
    y *= y;
    return 1 / y;
}

double THLog1p(const double x) { return std::log1p(x); }
double THLog2(const double x) { return std::log2(x); }
double THExpm1(const double x) { return std::expm1(x); }
}
