// portable/boxed.h: how PyTorch's dispatcher calls a kernel by its C functions: arguments and results are cells of 64 bits.
//
// A cell has the bytes of a number, or the address of a tensor, which belongs to whoever reads the cell. That of an optional
// value has the address of a cell, made by new, or 0. torch/csrc/stable/stableivalue_conversions.h of PyTorch has the same.
#pragma once
#include "tensors.h"

namespace torchthaw {

/// A type that a cell can have; name: as Python's torch.Argument.type prints it.
template <class T> struct Cell {
    static constexpr const char *name = nullptr, *optional_name = nullptr;
};
template <class T> struct NumberCell {
    static T take(uint64_t cell) {
        T number;
        std::memcpy(&number, &cell, sizeof number);
        return number;
    }
    static uint64_t put(T number) {
        uint64_t cell = 0;
        std::memcpy(&cell, &number, sizeof number);
        return cell;
    }
};
template <> struct Cell<int64_t> : NumberCell<int64_t> {
    static constexpr const char *name = "int", *optional_name = "Optional[int]";
};
template <> struct Cell<double> : NumberCell<double> {
    static constexpr const char *name = "float", *optional_name = "Optional[float]";
};
template <> struct Cell<bool> : NumberCell<bool> {
    static constexpr const char *name = "bool", *optional_name = "Optional[bool]";
};
template <> struct Cell<at::Tensor> {
    static constexpr const char *name = "Tensor", *optional_name = "Optional[Tensor]";
    static at::Tensor take(uint64_t cell) {
        auto *given = reinterpret_cast<at::Tensor *>(cell);
        at::Tensor tensor = std::move(*given);
        pytorch.delete_tensor(given);
        return tensor;
    }
    static uint64_t put(at::Tensor tensor) {
        at::Tensor *made = nullptr;
        check(pytorch.undefined_tensor(&made), "aoti_torch_new_uninitialized_tensor");
        *made = std::move(tensor);
        return reinterpret_cast<uint64_t>(made);
    }
};
template <class T> struct Cell<std::optional<T>> {
    static constexpr const char *name = Cell<T>::optional_name, *optional_name = nullptr;
    static std::optional<T> take(uint64_t cell) {
        if (cell == 0) return {};
        std::unique_ptr<uint64_t> inner(reinterpret_cast<uint64_t *>(cell));
        return Cell<T>::take(*inner);
    }
    static uint64_t put(std::optional<T> value) {
        return value ? reinterpret_cast<uint64_t>(new uint64_t(Cell<T>::put(std::move(*value)))) : 0;
    }
};

/// The results of a kernel.
template <class R> struct CellsOfResult {
    static std::string text() { return Cell<std::decay_t<R>>::name; }
    static constexpr bool fits = Cell<std::decay_t<R>>::name != nullptr;
    static void put(R &&result, uint64_t *cells) { cells[0] = Cell<std::decay_t<R>>::put(std::forward<R>(result)); }
};
template <> struct CellsOfResult<void> {
    static std::string text() { return {}; }
    static constexpr bool fits = true;
};
template <class... R> struct CellsOfResult<std::tuple<R...>> {
    static std::string text() {
        std::string joined;
        ((joined += (joined.empty() ? "" : ",") + CellsOfResult<R>::text()), ...);
        return joined;
    }
    static constexpr bool fits = (CellsOfResult<R>::fits && ...);
    static void put(std::tuple<R...> &&results, uint64_t *cells) { put(std::move(results), cells, std::index_sequence_for<R...>()); }
    template <size_t... I>
    static void put(std::tuple<R...> &&results, uint64_t *cells, std::index_sequence<I...>) {
        (CellsOfResult<R>::put(std::forward<R>(std::get<I>(results)), cells + I), ...);
    }
};

template <class R, class... A> struct BoxedSignature {
    static constexpr bool fits = CellsOfResult<R>::fits && ((Cell<std::decay_t<A>>::name != nullptr) && ...);
    /// Such as "Tensor,Optional[int]->Tensor"; empty where a type has no cell.
    static std::string text() {
        if constexpr (!fits) return {};
        std::string joined;
        ((joined += (joined.empty() ? "" : ",") + std::string(Cell<std::decay_t<A>>::name)), ...);
        return joined + "->" + CellsOfResult<R>::text();
    }
    /// Takes the arguments out of the cells, and puts the results there.
    template <class F> static void call(const F &function, uint64_t *cells) {
        if constexpr (fits) call(function, cells, std::index_sequence_for<A...>());
    }

  private:
    template <class F, size_t... I>
    static void call(const F &function, [[maybe_unused]] uint64_t *cells, std::index_sequence<I...>) {
        std::tuple<std::decay_t<A>...> arguments{Cell<std::decay_t<A>>::take(cells[I])...};
        if constexpr (std::is_void_v<R>) function(std::forward<A>(std::get<I>(arguments))...);
        else CellsOfResult<R>::put(function(std::forward<A>(std::get<I>(arguments))...), cells);
    }
};

}  // namespace torchthaw
