#pragma once
// Runs a pattern on a stream.
//
//     croft::run([&]() -> std::optional<int> { ... },                           // the next item, or nothing at the end
//                croft::pipeline(parse, croft::farm(simulate), format),
//                [](std::string line) { ... });                                 // one at a time
//
// The source is a callable in one of two forms, `std::optional<T> ()` or, in place, `bool (T&)`; the sink takes what
// comes out. Each may take numbers as well, for farms that call it from several threads (role.hpp), and the sink parts,
// of a map (map.hpp). Both are used where they are. The source runs on the calling thread; other threads are started,
// and have ended when run() returns. There are never more of them than cores unless options.threads asks for it: a run
// gets the cores that other runs and accelerators have left. (Stages of loops are helped by a scheduler's threads,
// which sleep otherwise: loop_stage.hpp.) With one thread everything runs in the calling thread, as calls. A pattern is
// one run's at a time; a copy of it is another one.
//
// Items are moved. They need no default constructor, unless they are written in place. The results and parts of a map
// need one, too.
//
// The end of the stream travels through all channels behind the last item. Channels are bounded: a role that is ahead
// waits.
// Exceptions: the first one that any role throws leaves run() once everything has ended. By then all that precedes it
// in the order of the items has been delivered, and nothing that comes behind it. Where there is no order (an unordered
// farm, a loop), items under way there are dropped.

#include <concepts>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <croft/pattern/engine/network.hpp>
#include <croft/pattern/engine/stream_ends.hpp>
#include <croft/pattern/one_run.hpp>
#include <croft/pattern/pattern.hpp>
#include <croft/pattern/placement.hpp>
#include <croft/pattern/stop_request.hpp>
#include <croft/port/count_option.hpp>
#include <croft/port/port.hpp>
#include <croft/thread/core_share.hpp>

namespace croft {

// Asks a run to end before its stream does. Any thread may, any role included, at any time; if the run has not begun,
// it ends before its first item. One run at a time.
class stopper {
public:
    void stop(stop_mode mode = stop_mode::drain) { request_.request(mode); }

    detail::stop_request& request() { return request_; }

private:
    detail::stop_request request_;
};

struct run_options {
    count_option threads = 0;                            // 0: one for each core that no other run has
    detail::placement place = placements::neighbours{};  // which role on which thread, and where
    count_option slots = 0;     // K of every channel; 0: 2 on a many-core, natively by the items' size
    stopper* stops = nullptr;   // who may end it early
    std::stop_token stop = {};  // or this, as stop() does, by draining
};

namespace detail {

inline std::size_t thread_limit(std::size_t asked) { return asked ? asked : port::core_count(); }
inline std::size_t thread_limit(std::size_t, const core_share& cores) { return cores.threads(); }

// `describe` names the roles. `cores`: natively, the share of them that the plan may have, and of which it keeps what
// it needs.
template <class Describe, class... Share>
plan make_plan(const run_options& options, Describe describe, Share&... cores) {
    role_list roles(thread_limit(options.threads, cores...));
    describe(roles);
    const std::size_t threads = roles.threads_of_roles();
    plan made = placed(std::move(roles.roles()), threads, options.place);
    (cores.keep(made.threads), ...);
    return made;
}
template <class P>
void describe_with_ends(P& pattern, role_list& roles) {
    roles.add("source", role_kind::source);
    pattern.describe(roles);
    roles.add("sink", role_kind::sink);
}

// Whether a pattern, as all of a run, makes its ends as well. That is a farm whose source or sink takes numbers, or a
// map whose sink takes parts.
template <class P, class T, class Source, class Sink>
inline constexpr bool makes_ends = false;
template <class P, class T, class Source, class Sink>
    requires(P::template makes_ends<T, Source, Sink>)
inline constexpr bool makes_ends<P, T, Source, Sink> = true;

// A network of roles, whose ends are the source and the sink.
template <class Policies, class T, class Source, class P, class Sink>
void build_stream(builder<Policies>& make, Source& source, P& pattern, Sink& sink) {
    using made = output_of<P, T>;
    const std::size_t last = 1 + pattern.role_count();
    inlet<item_of<made, plain>, Policies>& end = make.template metered<item_of<made, plain>>(
        last, make.template make<sink_node<Sink, made, Policies>>(last, sink, make.state(last)));
    auto& first = pattern.template build<T, plain>(make, context{}, 1, make.link(pattern.exit(1), last, last, end));
    make.template make_role<source_role<Source, T, Policies>>(
        0, source, make.state(0), make.thread_of(0),
        make.template metered_source<item_of<T, plain>>(0, make.link(0, pattern.entry(1), pattern.entry(1), first)));
}

// A pattern that may be used where it is, or a copy of one that may not.
template <class P>
auto own_pattern(P&& pattern) {
    if constexpr (!a_pattern<P>)
        return as_pattern(std::forward<P>(pattern));
    else
        return std::decay_t<P>(std::forward<P>(pattern));
}

// `describe(roles)` names the roles of a network, which `build(make)` makes.
template <class Policies, class Options, class Describe, class Build, class... Share>
void run_network(const Options& options, Describe describe, Build build, Share&... cores) {
    if constexpr (!port::waits_on_lines && sizeof...(Share) == 0) {
        core_share of_this_run(options.threads, caller::works);
        run_network<Policies>(options, std::move(describe), std::move(build), of_this_run);
    } else {
        network<Policies> made(make_plan(options, describe, cores...),
                               options.stops ? &options.stops->request() : nullptr, options.slots);
        const std::stop_callback requested(options.stop, [&made] { made.stop().request(stop_mode::drain); });
        build(made.make());
        if constexpr (is_measured<Policies>)
            *options.metrics = made.measured_run();
        else
            made.run();
    }
}

template <class Policies, class T, class Source, class P, class Sink, class Options>
void run_stream(Source& source, P& pattern, Sink& sink, const Options& options) {
    if constexpr (makes_ends<P, T, Source, Sink>) {
        run_network<Policies>(
            options, [&](role_list& roles) { pattern.template describe_run<T, Source, Sink>(roles); },
            [&](builder<Policies>& make) { pattern.template build_run<T>(make, source, sink); });
    } else {
        using made = typename require_output<output_of<P, T>>::type;
        if constexpr (is_output<made>)
            if constexpr (require_sink<Sink, made>::takes)
                run_network<Policies>(
                    options, [&](role_list& roles) { describe_with_ends(pattern, roles); },
                    [&](builder<Policies>& make) { build_stream<Policies, T>(make, source, pattern, sink); });
    }
}

// run(), and of a measured run, whose policies and options say so (run_measured.hpp).
template <class Policies, class Source, class Pattern, class Sink, class Options>
void run_by(Source&& source, Pattern&& pattern, Sink&& sink, const Options& options) {
    using T = typename source_traits<Source>::type;
    static_assert(!std::is_void_v<T>, "croft::run: a source is std::optional<T> () or bool (T&)");
    if constexpr (!std::is_void_v<T>) {
        if constexpr (a_pattern<Pattern> && !std::is_const_v<std::remove_reference_t<Pattern>>) {
            const one_run only(pattern, "croft::run: a pattern that runs already; a copy of it could");
            run_stream<Policies, T>(source, pattern, sink, options);
        } else {
            auto own = own_pattern(std::forward<Pattern>(pattern));
            run_stream<Policies, T>(source, own, sink, options);
        }
    }
}

}  // namespace detail

// Throws std::system_error if a thread cannot be started, std::invalid_argument for options or a plan that cannot be,
// and whatever a role throws.
template <class Policies = policies, class Source, class Pattern, class Sink>
void run(Source&& source, Pattern&& pattern, Sink&& sink, const run_options& options = {}) {
    detail::run_by<Policies>(std::forward<Source>(source), std::forward<Pattern>(pattern), std::forward<Sink>(sink),
                             options);
}

// The plan that such a run would follow now: print it with to_string().
template <class Pattern>
plan plan_of(const Pattern& pattern, const run_options& options = {}) {
    auto own = detail::own_pattern(pattern);
    detail::core_share cores(options.threads, detail::caller::works);
    return detail::make_plan(
        options, [&own](detail::role_list& roles) { detail::describe_with_ends(own, roles); }, cores);
}

}  // namespace croft
