// tests/portable/python/holders.cpp: who owns values: holders, several bound bases, constructors of all forms.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace py::literals;

template <class T> struct Counted {
    static int alive;
    Counted() { ++alive; }
    Counted(const Counted &) { ++alive; }
    ~Counted() { --alive; }
};
template <class T> int Counted<T>::alive = 0;

/// A pointer that counts by itself, as intrusive pointers do, without a member get().
template <class T> class Ref {
    std::shared_ptr<T> m_value;

  public:
    Ref() = default;
    explicit Ref(T *value) : m_value(value) {}
    T *pointer() const { return m_value.get(); }
    long owners() const { return m_value.use_count(); }
};
namespace pybind11 {
namespace detail {
template <class T> struct holder_helper<Ref<T>> {
    static const T *get(const Ref<T> &holder) { return holder.pointer(); }
};
}  // namespace detail
}  // namespace pybind11
PYBIND11_DECLARE_HOLDER_TYPE(T, Ref<T>)
PYBIND11_DECLARE_HOLDER_TYPE(T, std::shared_ptr<T>)

struct Held : Counted<Held> {
    int value = 4;
};
struct Shared : Counted<Shared> {
    int value = 5;
};
struct Simple : Counted<Simple> {
    int value;
    explicit Simple(int value = 6) : value(value) {}
};
struct Kept {
    int value = 8;
};
struct Left : Counted<Left> {
    int left;
    explicit Left(int left) : left(left) {}
};
struct Right : Counted<Right> {
    int right;
    explicit Right(int right) : right(right) {}
};
struct Old : Counted<Old> {
    std::string text;
    explicit Old(std::string text) : text(std::move(text)) {}
};
struct Virtual {
    int value;
    explicit Virtual(int value) : value(value) {}
    virtual ~Virtual() = default;
    virtual std::string kind() const { return "C++"; }
};
struct Alias : Virtual {
    using Virtual::Virtual;
    std::string kind() const override { return "alias"; }
};
struct Tagged {
    bool is_special;
};
struct Special : Tagged {
    int more = 3;
    Special() : Tagged{true} {}
};
namespace pybind11 {
template <> struct polymorphic_type_hook<Tagged> {
    static const void *get(const Tagged *value, const std::type_info *&type) {
        type = value && value->is_special ? &typeid(Special) : nullptr;
        return value;
    }
};
}  // namespace pybind11
struct Final {};
struct NotBound {};
struct OwnMeta {};
struct FromInt {
    int value;
};
struct NoCopy {
    int value;
    explicit NoCopy(int value) : value(value) {}
    NoCopy(NoCopy &&) = default;
    NoCopy(const NoCopy &) = delete;
};
struct Qualified {
    int by_left() & { return 1; }
    int by_right() && { return 2; }
    int by_const() const & noexcept { return 3; }
};

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("alive", [] {
        return Counted<Held>::alive + Counted<Shared>::alive + Counted<Simple>::alive + Counted<Left>::alive +
               Counted<Right>::alive + Counted<Old>::alive;
    });
    py::class_<Held, Ref<Held>>(m, "Held").def(py::init<>()).def_readonly("value", &Held::value);
    m.def("make_held", [] { return Ref<Held>(new Held); });
    m.def("owners", [](const Ref<Held> &held) { return held.owners(); });
    m.def("null_held", [](Ref<Held> held) { return held; });
    py::class_<Shared, std::shared_ptr<Shared>>(m, "Shared").def(py::init<>()).def_readonly("value", &Shared::value);
    m.def("shared", [](std::shared_ptr<Shared> value) { return value; });
    static Shared global;
    --Counted<Shared>::alive;
    m.def("borrowed", [] { return &global; }, py::return_value_policy::reference);
    py::class_<Simple>(m, "Simple").def(py::init<int>()).def_readonly("value", &Simple::value);
    m.def("plain_as_shared", [](std::shared_ptr<Simple> value) { return value->value; });
    m.def("shared_as_plain", [] { return std::make_shared<Simple>(); });
    m.def("give_up", [](std::unique_ptr<Simple> value) { return value->value; });
    m.def("mismatch", [](py::module_ place) { py::class_<Kept, std::unique_ptr<Kept, py::nodelete>>(place, "Kept"); });
    m.def("vector_of_pointers", [] { return std::vector<Simple *>{new Simple(1), new Simple(2)}; },
          py::return_value_policy::take_ownership);

    py::class_<Left>(m, "Left").def(py::init<int>()).def_readwrite("left", &Left::left);
    py::class_<Right>(m, "Right").def(py::init<int>()).def_readwrite("right", &Right::right);
    m.def("sum", [](const Left &left, const Right &right) { return left.left + right.right; });
    m.def("same_right", [](Right &right) -> Right & { return right; });

    py::class_<Old> old(m, "Old");
    old.def_readonly("text", &Old::text);
    py::module_::import("warnings").attr("simplefilter")("ignore");
    old.def("__init__", [](Old &self, std::string text) { new (&self) Old(std::move(text)); });
    old.def("__init__", [](Old &, int) { throw std::runtime_error("no number"); });
    py::module_::import("warnings").attr("resetwarnings")();

    py::class_<Virtual, Alias>(m, "Virtual")
        .def(py::init([](int value) { return new Virtual(value); }, [](int value) { return new Alias(10 * value); }))
        .def(py::init([](std::string) { return new Virtual(1); }))
        .def_readonly("value", &Virtual::value)
        .def("kind", &Virtual::kind);
    py::class_<Tagged>(m, "Tagged").def_readonly("is_special", &Tagged::is_special);
    py::class_<Special, Tagged>(m, "Special").def_readonly("more", &Special::more);
    m.def("tagged", [](bool special) -> Tagged * { return special ? new Special : new Tagged{false}; });
    py::class_<Final>(m, "Final", py::is_final()).def(py::init<>());
    py::class_<OwnMeta>(m, "OwnMeta", py::metaclass((PyObject *)&PyType_Type)).def(py::init<>());
    py::class_<FromInt>(m, "FromInt").def(py::init<int>()).def(py::init([](py::none) { return FromInt{-1}; }));
    py::implicitly_convertible<int, FromInt>();
    py::implicitly_convertible<py::none, FromInt>();
    m.def("from_int", [](const FromInt &value) { return value.value; });
    py::class_<NoCopy>(m, "NoCopy").def(py::init<int>()).def_readonly("value", &NoCopy::value);
    m.def("move_out", [](py::object make) { return make().cast<NoCopy>().value; });
    py::class_<Qualified>(m, "Qualified")
        .def(py::init<>())
        .def("by_left", &Qualified::by_left)
        .def("by_right", &Qualified::by_right)
        .def("by_const", &Qualified::by_const);
    m.def("type_of_unknown", [] { return py::type::of<NotBound>(); });
}
