// tests/portable/classes.cpp: torch::class_, c10::Dict, c10::List, c10::IValue, c10::Dispatcher; compiled by torchthaw and by PyTorch.
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/custom_class.h>
#include <torch/extension.h>
#include <torch/library.h>

namespace {

// ---- classes of torch.classes
struct Bag : torch::CustomClassHolder {
    std::vector<std::string> words;
    int64_t limit = 4;
    explicit Bag(std::vector<std::string> words) : words(std::move(words)) {}
    void put(std::string word, int64_t times) {
        TORCH_CHECK_VALUE(int64_t(words.size()) + times <= limit, "full: ", words.size(), " of ", limit);
        words.insert(words.end(), size_t(times), word);
    }
    std::string take() {
        TORCH_CHECK_INDEX(!words.empty(), "empty");
        std::string word = words.back();
        words.pop_back();
        return word;
    }
    int64_t size() const { return int64_t(words.size()); }
    c10::intrusive_ptr<Bag> copy() const { return c10::make_intrusive<Bag>(words); }
    void add(const c10::intrusive_ptr<Bag> &other) { words.insert(words.end(), other->words.begin(), other->words.end()); }
    std::tuple<std::string, int64_t> last() const { return {words.back(), size()}; }
    std::optional<std::string> find(const std::string &word) const {
        const auto found = std::find(words.begin(), words.end(), word);
        return found == words.end() ? std::nullopt : std::optional<std::string>(*found);
    }
    int64_t get_limit() const { return limit; }
    void set_limit(int64_t to) { limit = to; }
};

struct Mean : torch::CustomClassHolder {
    at::Tensor sum;
    int64_t count = 0;
    explicit Mean(at::Tensor start) : sum(std::move(start)) {}
    void add(const at::Tensor &x) {
        sum = sum + x;
        ++count;
    }
    at::Tensor value() const { return sum / count; }
};

c10::intrusive_ptr<Bag> merged(const c10::intrusive_ptr<Bag> &a, const c10::intrusive_ptr<Bag> &b, int64_t times) {
    auto made = a->copy();
    for (int64_t i = 0; i < times; ++i) made->add(b);
    return made;
}
std::vector<c10::intrusive_ptr<Bag>> split(const c10::intrusive_ptr<Bag> &bag) {
    std::vector<c10::intrusive_ptr<Bag>> each;
    for (const auto &word : bag->words) each.push_back(c10::make_intrusive<Bag>(std::vector<std::string>{word}));
    return each;
}
int64_t size_of(const c10::intrusive_ptr<Bag> &bag) { return bag->size(); }
at::Tensor times_size(at::Tensor x, const c10::intrusive_ptr<Bag> &bag) { return x * bag->size(); }

// ---- dictionaries and lists of operators
c10::Dict<std::string, int64_t> counts(const std::vector<std::string> &words) {
    c10::Dict<std::string, int64_t> found;
    for (const auto &word : words) {
        if (found.contains(word)) found.insert_or_assign(word, found.at(word) + 1);
        else found.insert(word, 1);
    }
    return found;
}
at::Tensor summed(const c10::Dict<std::string, at::Tensor> &tensors) {
    at::Tensor sum = at::zeros({});
    for (const auto &entry : tensors) sum = sum + entry.value() * int64_t(entry.key().size());
    return sum;
}
c10::List<int64_t> doubled(const c10::List<int64_t> &list) {
    c10::List<int64_t> made;
    for (size_t i = 0; i < list.size(); ++i) made.push_back(2 * list.get(i));
    return made;
}
std::vector<int64_t> of_containers() {
    c10::List<int64_t> list({3, 4});
    auto same = list;
    same.push_back(5);
    auto other = list.copy();
    other.set(0, 9);
    c10::Dict<std::string, int64_t> dict;
    dict.insert("b", 1);
    auto same_dict = dict;
    same_dict.insert("a", 2);
    same_dict.insert("b", 7);
    same_dict.insert_or_assign("a", 8);
    const int64_t erased = int64_t(dict.erase("none")) + int64_t(dict.erase("b"));
    return {int64_t(list.size()), list[0] + list.get(2), other.get(0), int64_t(dict.size()), dict.at("a"), erased,
            dict.find("b") == dict.end(), int64_t(dict.contains("a"))};
}

// ---- values of any type
std::string kinds() {
    const std::vector<c10::IValue> values{c10::IValue(), at::ones({1}), int64_t(1), 2.5, true, "text", std::vector<int64_t>{1},
                                          std::vector<double>{1}, at::Device("cpu"), std::vector<at::Tensor>{at::ones({1})},
                                          c10::ivalue::Tuple::create({int64_t(1), "a"}), c10::make_intrusive<Bag>(std::vector<std::string>{})};
    std::stringstream out;
    for (const auto &value : values)
        out << value.isNone() << value.isTensor() << value.isInt() << value.isDouble() << value.isBool() << value.isString() << value.isIntList()
            << value.isDoubleList() << value.isDevice() << value.isTensorList() << value.isTuple() << value.isCustomClass() << value.isList()
            << value.isScalar() << " ";
    return out.str();
}
std::tuple<int64_t, std::string, int64_t, double> of_values() {
    const c10::IValue tuple = c10::ivalue::Tuple::create({int64_t(4), "b"});
    const c10::IValue list = std::vector<int64_t>{5, 6};
    const c10::IValue bag = c10::make_intrusive<Bag>(std::vector<std::string>{"x", "y"});
    c10::IValue changed = 2.5;
    changed = changed.toDouble() * 2;
    return {tuple.toTupleRef().elements()[0].toInt() + list.toIntVector()[1], tuple.toTuple()->elements()[1].toStringRef(),
            bag.toCustomClass<Bag>()->size() + list.to<c10::List<int64_t>>().get(0), changed.to<double>()};
}
bool wrong_value() {
    try {
        c10::IValue("text").toInt();
    } catch (const c10::Error &) {
        return true;
    }
    return false;
}

// ---- pointers that count
struct Seen : c10::intrusive_ptr_target {
    int64_t *gone;
    explicit Seen(int64_t *gone) : gone(gone) {}
    ~Seen() override { ++*gone; }
};
std::vector<int64_t> of_pointers() {
    int64_t gone = 0;
    std::vector<int64_t> seen;
    {
        auto one = c10::make_intrusive<Seen>(&gone);
        auto two = one;
        seen.push_back(int64_t(one.use_count()));
        c10::intrusive_ptr<c10::intrusive_ptr_target> base = two;
        two.reset();
        seen.push_back(int64_t(one.use_count()));
        seen.push_back(c10::dynamic_intrusive_pointer_cast<Seen>(base) == one);
        seen.push_back(two.defined());
        auto *raw = one.release();
        auto again = c10::intrusive_ptr<Seen>::reclaim(raw);
        seen.push_back(again->gone == &gone && !one);
        seen.push_back(gone);
    }
    seen.push_back(gone);
    return seen;
}

// ---- operators by name
at::Tensor by_dispatcher(const at::Tensor &a, const at::Tensor &b, double alpha) {
    static auto add = c10::Dispatcher::singleton()
                          .findSchemaOrThrow("aten::add", "Tensor")
                          .typed<at::Tensor(const at::Tensor &, const at::Tensor &, const at::Scalar &)>();
    return add.call(a, b, alpha);
}
at::Tensor own_by_dispatcher(at::Tensor x) {
    static auto scale = c10::Dispatcher::singleton().findSchemaOrThrow("portable_classes::scale", "").typed<at::Tensor(const at::Tensor &, double)>();
    return scale.call(x, 3.0);
}
at::Tensor changed_by_dispatcher(at::Tensor x) {
    static auto add_ = c10::Dispatcher::singleton()
                           .findSchemaOrThrow("aten::add_", "Scalar")
                           .typed<at::Tensor &(at::Tensor &, const at::Scalar &, const at::Scalar &)>();
    return add_.call(x, 2, 3);
}
void unknown() { c10::Dispatcher::singleton().findSchemaOrThrow("portable_classes::nothing", ""); }
bool is_known(std::string name) { return c10::Dispatcher::singleton().findSchema({name, ""}).has_value(); }
at::Tensor boxed(at::Tensor x) {
    torch::jit::Stack stack{x, 5.0};
    c10::Dispatcher::singleton().findSchemaOrThrow("portable_classes::scale", "").callBoxed(&stack);
    return stack.at(0).toTensor();
}
at::Tensor scale(const at::Tensor &x, double by) { return x * by; }

}  // namespace

TORCH_LIBRARY(portable_classes, m) {
    m.class_<Bag>("Bag")
        .def(torch::init<std::vector<std::string>>())
        .def("put", &Bag::put, "", {torch::arg("word"), torch::arg("times") = 1})
        .def("take", &Bag::take)
        .def("size", &Bag::size)
        .def("copy", &Bag::copy)
        .def("add", &Bag::add)
        .def("last", &Bag::last)
        .def("find", &Bag::find)
        .def("joined", [](const c10::intrusive_ptr<Bag> &self, const std::string &by) {
            std::string joined;
            for (const auto &word : self->words) joined += word + by;
            return joined;
        })
        .def_static("of_one", [](const std::string &word) { return c10::make_intrusive<Bag>(std::vector<std::string>{word}); })
        .def_property("limit", &Bag::get_limit, &Bag::set_limit)
        .def_property("length", &Bag::size)
        .def_pickle([](const c10::intrusive_ptr<Bag> &self) { return self->words; },
                    [](std::vector<std::string> words) { return c10::make_intrusive<Bag>(std::move(words)); });
    m.def("merged(__torch__.torch.classes.portable_classes.Bag a, __torch__.torch.classes.portable_classes.Bag b, *, int times=1) -> "
          "__torch__.torch.classes.portable_classes.Bag", &merged);
    m.def("split", &split);
    m.def("size_of", &size_of);
    m.def("times_size(Tensor x, __torch__.torch.classes.portable_classes.Bag bag) -> Tensor");
    m.def("counts", &counts);
    m.def("summed(Dict(str, Tensor) tensors) -> Tensor", &summed);
    m.def("doubled", &doubled);
    m.def("scale(Tensor x, float by) -> Tensor", {at::Tag::pt2_compliant_tag, at::Tag::pointwise});
}
TORCH_LIBRARY_IMPL(portable_classes, CPU, m) {
    m.impl("times_size", &times_size);
    m.impl("scale", &scale);
}
TORCH_LIBRARY_IMPL(portable_classes, Autograd, m) { m.impl("scale", torch::CppFunction::makeFallthrough()); }

static auto registered = torch::class_<Mean>("portable_classes", "Mean")
                             .def(torch::init([](at::Tensor start) { return c10::make_intrusive<Mean>(start.clone()); }))
                             .def("add", &Mean::add)
                             .def("value", &Mean::value)
                             .def_readwrite("count", &Mean::count)
                             .def_readonly("sum", &Mean::sum);

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
#define DEF(name) m.def(#name, &name)
    DEF(of_containers); DEF(kinds); DEF(of_values); DEF(wrong_value); DEF(of_pointers); DEF(by_dispatcher); DEF(own_by_dispatcher);
    DEF(changed_by_dispatcher); DEF(unknown); DEF(is_known); DEF(boxed);
}
