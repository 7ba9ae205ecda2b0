// croft as a C++20 module: import croft; (made by packaging/module.py of the headers' names; not to be edited)
module;

#include <croft/channel/channel.hpp>
#include <croft/channel/courtesy.hpp>
#include <croft/channel/disconnected.hpp>
#include <croft/channel/doorbell.hpp>
#include <croft/channel/events.hpp>
#include <croft/channel/flag.hpp>
#include <croft/channel/inbox.hpp>
#include <croft/channel/many_to_many.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/channel/one_to_many.hpp>
#include <croft/channel/policies.hpp>
#include <croft/channel/request_reply.hpp>
#include <croft/channel/slot.hpp>
#include <croft/channel/timed.hpp>
#include <croft/channel/wait.hpp>
#include <croft/channel/wait_any.hpp>
#include <croft/coroutine/async.hpp>
#include <croft/coroutine/async_close.hpp>
#include <croft/coroutine/async_receive.hpp>
#include <croft/coroutine/async_run.hpp>
#include <croft/coroutine/async_send.hpp>
#include <croft/coroutine/until_stopped.hpp>
#include <croft/mark.hpp>
#include <croft/memory/data_home.hpp>
#include <croft/memory/home.hpp>
#include <croft/memory/lines.hpp>
#include <croft/memory/task_allocator.hpp>
#include <croft/memory/task_ptr.hpp>
#include <croft/pattern/accelerator.hpp>
#include <croft/pattern/all_to_all.hpp>
#include <croft/pattern/divide_and_conquer.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/farm_options.hpp>
#include <croft/pattern/feedback.hpp>
#include <croft/pattern/graph.hpp>
#include <croft/pattern/loop_stage.hpp>
#include <croft/pattern/map.hpp>
#include <croft/pattern/map_options.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/placement.hpp>
#include <croft/pattern/plan.hpp>
#include <croft/pattern/prefix.hpp>
#include <croft/pattern/reduce.hpp>
#include <croft/pattern/run.hpp>
#include <croft/pattern/run_measured.hpp>
#include <croft/pattern/run_metrics.hpp>
#include <croft/pattern/stage.hpp>
#include <croft/pattern/stencil.hpp>
#include <croft/sync/spin_barrier.hpp>
#include <croft/task/detached.hpp>
#include <croft/task/direct_stealing.hpp>
#include <croft/task/joining_worker.hpp>
#include <croft/task/loop.hpp>
#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_invoke.hpp>
#include <croft/task/parallel_reduce.hpp>
#include <croft/task/parallel_scan.hpp>
#include <croft/task/range_2d.hpp>
#include <croft/task/scheduler.hpp>
#include <croft/task/shared_deques.hpp>
#include <croft/task/sort.hpp>
#include <croft/task/submit.hpp>
#include <croft/task/task.hpp>
#include <croft/task/task_group.hpp>
#include <croft/task/task_scheduler_options.hpp>
#include <croft/task/transform_reduce.hpp>
#include <croft/task/victims.hpp>
#include <croft/task/worker_local.hpp>
#include <croft/thread/shut_down.hpp>
#include <croft/thread/thread_limit.hpp>
#include <croft/thread/thread_pool.hpp>

export module croft;

export namespace croft {
using croft::accelerator;
using croft::accelerator_options;
using croft::all_to_all;
using croft::all_to_all_options;
using croft::async;
using croft::async_close;
using croft::async_receive;
using croft::async_run;
using croft::async_send;
using croft::basic_task;
using croft::channel;
using croft::detached;
using croft::direct_stealing;
using croft::disconnected;
using croft::distribution;
using croft::divide_and_conquer;
using croft::divide_options;
using croft::farm;
using croft::farm_options;
using croft::farm_part;
using croft::farm_pattern;
using croft::feedback;
using croft::graph;
using croft::grid;
using croft::inbox;
using croft::loop_options;
using croft::many_to_many;
using croft::many_to_one;
using croft::map;
using croft::map_options;
using croft::map_part;
using croft::map_pattern;
using croft::mark;
using croft::marked;
using croft::no_choice;
using croft::one_to_many;
using croft::out;
using croft::parallel_for;
using croft::parallel_for_intervals;
using croft::parallel_invoke;
using croft::parallel_reduce;
using croft::parallel_reduce_intervals;
using croft::parallel_scan;
using croft::part_done;
using croft::pipeline;
using croft::pipeline_pattern;
using croft::plan;
using croft::plan_of;
using croft::policies;
using croft::prefix;
using croft::priority;
using croft::range_2d;
using croft::reduce;
using croft::request_reply;
using croft::run;
using croft::run_measured;
using croft::run_metrics;
using croft::run_options;
using croft::schedule;
using croft::share;
using croft::shared_deques;
using croft::shut_down;
using croft::slice;
using croft::sort;
using croft::spin_barrier;
using croft::stencil;
using croft::stop_mode;
using croft::stopper;
using croft::submit;
using croft::submitted;
using croft::task;
using croft::task_allocator;
using croft::task_group;
using croft::task_ptr;
using croft::task_scheduler;
using croft::task_scheduler_options;
using croft::team_options;
using croft::thread_limit;
using croft::thread_pool;
using croft::transform_reduce;
using croft::until_stopped;
using croft::wait_any;
using croft::worker_index;
using croft::worker_local;
}

export namespace croft::events {
using croft::events::ack_place;
using croft::events::best;
using croft::events::booleans;
using croft::events::flags;
using croft::events::packed;
using croft::events::turns;
}

export namespace croft::homes {
using croft::homes::hashed;
using croft::homes::of_data;
}

export namespace croft::lines {
using croft::lines::allocate;
using croft::lines::copy_without_allocating;
using croft::lines::drop;
using croft::lines::flush;
using croft::lines::forward;
using croft::lines::store_without_allocating;
using croft::lines::this_core;
}

export namespace croft::placements {
using croft::placements::neighbours;
using croft::placements::thread_a_role;
}

export namespace croft::victims {
using croft::victims::near_first;
using croft::victims::random;
}

export namespace croft::waits {
using croft::waits::best;
using croft::waits::courtesy;
using croft::waits::doorbell;
using croft::waits::operating_system;
using croft::waits::polling;
using croft::waits::ring_listener;
using croft::waits::spin;
using croft::waits::wait_until;
}
