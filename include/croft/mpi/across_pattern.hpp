#pragma once
// A pattern whose items go to processes (across.hpp). The root has the part that gives them away and takes back their
// results, and its own copy of the pattern. Each other process has a copy alone. Both ends of it are roles of the
// process that they are in.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <croft/mpi/greeting.hpp>
#include <croft/mpi/member_node.hpp>
#include <croft/mpi/processes.hpp>
#include <croft/mpi/sharing.hpp>
#include <croft/mpi/spread_node.hpp>
#include <croft/pattern/pattern.hpp>
#include <croft/port/between_processes.hpp>

namespace croft::mpi {

struct across_options {
    bool ordered = false;  // results leave in the order in which the items came
    int root = 0;          // the rank that has the items
    // Whether the root works on items as well; if not, it does only when it is the only one left. By default it does
    // with a map or a reduction. With other patterns it does if that takes a core which no other process would use.
    // (Working, it would take its turn on a core behind all the others. Meanwhile they have the items that they were
    // given, and no more.)
    std::optional<bool> root_works = {};
    frame_options frames = {};
};

template <class Body>
class across_pattern {
public:
    // `only`: the rank that gets all items, if just one does.
    across_pattern(const processes& group, Body body, across_options options,
                   detail::sharing how = detail::sharing::on_demand, int only = no_rank)
        : group_(&group), body_(std::move(body)), options_(options), how_(how), only_(only) {}

    static constexpr bool is_pattern = true;
    static constexpr bool is_across_processes = true;
    template <class In>
    using output = croft::detail::output_of<Body, In>;

    // Where items are given away is where results come to: one role, in front of this process's own part.
    void describe(croft::detail::role_list& roles) {
        threads_ = roles.threads();
        roles.within("across.", false, [&] {
            roles.add("processes", croft::plan::role_kind::emitter);
            body_.describe(roles);
        });
    }
    std::size_t role_count() const { return 1 + body_.role_count(); }
    std::size_t entry(std::size_t first) const { return first; }
    std::size_t exit(std::size_t first) const { return first; }

    template <class In, class Shape, class Policies, class Next>
    croft::detail::inlet<croft::detail::item_of<In, Shape>, Policies>& build(croft::detail::builder<Policies>& make,
                                                                             croft::detail::context, std::size_t first,
                                                                             Next& next) {
        using node = detail::spread_node<In, output<In>, Shape, Policies>;
        return make.within(first + body_.role_count(), [&]() -> node& {
            if (!std::exchange(begun_, false))
                throw error(
                    "croft::mpi::across: it is run by croft::mpi::run, by all processes, alone or as a stage of "
                    "a pipeline: elsewhere the others do not find it");
            calls_mpi(make, first);
            link_to_all();
            const std::size_t to = body_.entry(first + 1);
            const detail::spread_options options{
                .ordered = options_.ordered || croft::detail::is_numbered<Shape>,
                .works =
                    only_ == no_rank ? options_.root_works.value_or(!others_take_all_cores(make)) : only_ == root(),
                .own_is_here = make.together(first, to),
                .how = how_};
            node& spread =
                make.template make_role<node>(first, links_, greeting<In>(), options, make.state(first), next);
            spread.begin(build_body<In>(make, first, spread.back()));
            return spread;
        });
    }

    // ---- at the other processes ----

    // Instead of build(): the root's items come in, and what is made of them goes there.
    template <class In, class Policies>
    void build_member(croft::detail::builder<Policies>& make, std::size_t first, croft::detail::stop_request& stop) {
        using node = detail::member_node<In, output<In>, Policies>;
        make.within(first + body_.role_count(), [&] {
            calls_mpi(make, first);
            links_.push_back(std::make_unique<detail::peer_link>(*group_, options_.root, tag_, options_.frames));
            node& member = make.template make_role<node>(first, *links_.back(), greeting<In>(), make.state(),
                                                         make.state(first), stop);
            member.begin(build_body<In>(make, first, member));
        });
    }

    // ---- for the run that it is in ----

    const processes& group() const { return *group_; }
    int root() const { return options_.root; }
    // Whether a process that is not the root gets items.
    bool has_member(int rank) const { return only_ == no_rank || only_ == rank; }
    // Calls visit.template operator()<In>(part) for itself, as whatever has such parts does (run.hpp).
    template <class In, class Visit>
    void for_each_across(const Visit& visit) {
        visit.template operator()<In>(*this);
    }
    // All processes are about to run it.
    void begin() {
        for (const int rank : {options_.root, only_ == no_rank ? options_.root : only_})
            if (rank < 0 || rank >= group_->size())
                throw error("croft::mpi::across: there is no rank " + std::to_string(rank) + " among " +
                            std::to_string(group_->size()) + " processes");
        tag_ = group_->next_tag();
        begun_ = true;
    }
    bool has_lost_root() const { return !links_.empty() && links_.front()->lost; }
    // Once the run is over.
    void finish() { links_.clear(); }

private:
    void link_to_all() {
        for (int rank = 0; rank < group_->size(); ++rank)
            if (rank != options_.root && has_member(rank))
                links_.push_back(std::make_unique<detail::peer_link>(*group_, rank, tag_, options_.frames));
    }
    template <class In>
    detail::greeting greeting() const {
        return detail::greeting_of<Body, In, output<In>>(threads_);
    }
    template <class In, class Policies, class Back>
    auto& build_body(croft::detail::builder<Policies>& make, std::size_t first, Back& back) {
        using shape = croft::detail::numbered<croft::detail::plain>;
        const std::size_t from = body_.exit(first + 1), to = body_.entry(first + 1);
        croft::detail::inlet<croft::detail::item_of<output<In>, shape>, Policies>& results = back;
        auto& body = body_.template build<In, shape>(make, croft::detail::context{}, first + 1,
                                                     make.link(from, first, from, results));
        croft::detail::inlet<croft::detail::item_of<In, shape>, Policies>& items = body;
        return make.link(first, to, to, items);
    }
    // The others of this node, each with as many threads as ours.
    template <class Policies>
    bool others_take_all_cores(const croft::detail::builder<Policies>& make) const {
        return make.thread_count() * static_cast<std::size_t>(group_->size_of_node() - 1) >=
               port::between_processes::core_count_of_node();
    }
    // That role's thread does, and the others are told how the run ends (abandonment.hpp). And where a node has more
    // threads than cores, counting all processes' there, each of them makes way for others while it waits.
    template <class Policies>
    void calls_mpi(croft::detail::builder<Policies>& make, std::size_t role) const {
        detail::check_caller(make.together(role, 0), group_->rank());
        make.state().ends().be_patient();
        make.thread_of(role).waiter().begin_naps();
        if (make.thread_count() * static_cast<std::size_t>(group_->size_of_node()) <=
            port::between_processes::core_count_of_node())
            return;
        for (std::size_t i = 0; i < make.thread_count(); ++i) make.thread(i).waiter().share_cores();
    }

    const processes* group_;
    Body body_;
    across_options options_;
    detail::sharing how_;
    int only_;
    std::size_t threads_ = 1;
    int tag_ = 0;
    bool begun_ = false;
    std::vector<std::unique_ptr<detail::peer_link>> links_;
};

}  // namespace croft::mpi
