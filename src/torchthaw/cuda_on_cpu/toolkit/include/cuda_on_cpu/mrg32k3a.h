// cuda_on_cpu/mrg32k3a.h: MRG32k3a, as L'Ecuyer describes it (1999): two recurrences of three numbers, whose difference it is.
#pragma once

#include <cstdint>
#include <vector>

namespace cuda_on_cpu {

// One recurrence modulo m, as a matrix that takes (x[n], x[n+1], x[n+2]) a step on.
struct MrgMatrix {
    uint64_t row[3][3];

    void apply(unsigned (&v)[3], uint64_t m) const {
        unsigned to[3];
        for (int i = 0; i < 3; i++)
            to[i] = unsigned((row[i][0] * v[0] % m + row[i][1] * v[1] % m + row[i][2] * v[2] % m) % m);
        for (int i = 0; i < 3; i++) v[i] = to[i];
    }
    MrgMatrix squared(uint64_t m) const {
        MrgMatrix result{};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 3; k++) result.row[i][j] = (result.row[i][j] + row[i][k] * row[k][j] % m) % m;
        return result;
    }
};

struct Mrg32k3a {
    static constexpr uint64_t m1 = 4294967087, m2 = 4294944443;
    static constexpr uint64_t a12 = 1403580, a13 = 810728, a21 = 527612, a23 = 1370589;  // those of index 3 are subtracted
    unsigned s1[3], s2[3];

    // A seed but 0 changes the numbers 12345 that L'Ecuyer begins with, as cuRAND does.
    void begin(uint64_t seed) {
        const uint64_t x = (seed & 0xffffffffu) ^ 0x55555555u, y = (seed >> 32) ^ 0xaaaaaaaau;
        const uint64_t first[3] = {x, y, x}, second[3] = {y, x, y};
        for (int i = 0; i < 3; i++) {
            s1[i] = unsigned(12345 * (seed ? first[i] : 1) % m1);
            s2[i] = unsigned(12345 * (seed ? second[i] : 1) % m2);
        }
    }
    // 1 to m1.
    unsigned next() {
        const uint64_t p1 = (a12 * s1[1] + a13 * (m1 - s1[0])) % m1, p2 = (a21 * s2[2] + a23 * (m2 - s2[0])) % m2;
        s1[0] = s1[1], s1[1] = s1[2], s1[2] = unsigned(p1);
        s2[0] = s2[1], s2[1] = s2[2], s2[2] = unsigned(p2);
        return unsigned(p1 > p2 ? p1 - p2 : p1 + m1 - p2);
    }
    // By n * 2^shift numbers.
    void skip(unsigned long long n, int shift) {
        for (int i = 0; i < 64; i++) {
            if (!(n >> i & 1)) continue;
            powers(0)[size_t(shift + i)].apply(s1, m1);
            powers(1)[size_t(shift + i)].apply(s2, m2);
        }
    }

private:
    // The matrices of 2^i steps of one of both recurrences.
    static const std::vector<MrgMatrix> &powers(int which) {
        static const std::vector<MrgMatrix> both[2] = {
            make({{{0, 1, 0}, {0, 0, 1}, {m1 - a13, a12, 0}}}, m1), make({{{0, 1, 0}, {0, 0, 1}, {m2 - a23, 0, a21}}}, m2)};
        return both[which];
    }
    static std::vector<MrgMatrix> make(MrgMatrix step, uint64_t m) {
        std::vector<MrgMatrix> list;
        for (int i = 0; i < 127 + 64; i++, step = step.squared(m)) list.push_back(step);
        return list;
    }
};

}  // namespace cuda_on_cpu
