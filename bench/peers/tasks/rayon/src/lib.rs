//! The rayon crate with the programs of bench/task_programs.hpp, for C++ to call and to time.

use rayon::prelude::*;
use rayon::{join, ThreadPool, ThreadPoolBuilder};

fn fib(n: i32) -> i64 {
    if n < 2 {
        return n as i64;
    }
    let (x, y) = join(|| fib(n - 1), || fib(n - 2));
    x + y
}

#[derive(Clone, Copy)]
struct Board {
    all: u32,
    columns: u32,
    left: u32,
    right: u32,
}

fn queens(board: Board) -> i64 {
    if board.columns == board.all {
        return 1;
    }
    let free = board.all & !(board.columns | board.left | board.right);
    if free == 0 {
        0
    } else {
        any_of(board, free)
    }
}

fn any_of(board: Board, free: u32) -> i64 {
    if free & (free - 1) == 0 {
        return queens(Board {
            all: board.all,
            columns: board.columns | free,
            left: (board.left | free) << 1,
            right: (board.right | free) >> 1,
        });
    }
    let lowest = free & free.wrapping_neg();
    let (x, y) = join(|| any_of(board, lowest), || any_of(board, free & (free - 1)));
    x + y
}

const ALONE: usize = 64;

fn sort(data: &mut [u32], space: &mut [u32]) {
    if data.len() <= ALONE {
        data.sort_unstable();
        return;
    }
    let middle = data.len() / 2;
    {
        let (left, right) = data.split_at_mut(middle);
        let (left_space, right_space) = space.split_at_mut(middle);
        join(|| sort(left, left_space), || sort(right, right_space));
    }
    let (mut i, mut j) = (0, middle);
    for to in space.iter_mut() {
        if j == data.len() || (i < middle && data[i] <= data[j]) {
            *to = data[i];
            i += 1;
        } else {
            *to = data[j];
            j += 1;
        }
    }
    data.copy_from_slice(space);
}

/// # Safety
/// What it returns is a pool for the functions below, and is never freed.
#[no_mangle]
pub unsafe extern "C" fn rayon_pool(threads: i32) -> *const ThreadPool {
    Box::into_raw(Box::new(ThreadPoolBuilder::new().num_threads(threads as usize).build().unwrap()))
}

/// # Safety
/// `pool` is one of rayon_pool's.
#[no_mangle]
pub unsafe extern "C" fn rayon_fib(pool: *const ThreadPool, n: i32) -> i64 {
    (*pool).install(|| fib(n))
}

/// # Safety
/// As above.
#[no_mangle]
pub unsafe extern "C" fn rayon_queens(pool: *const ThreadPool, n: i32) -> i64 {
    (*pool).install(|| queens(Board { all: (1 << n) - 1, columns: 0, left: 0, right: 0 }))
}

/// # Safety
/// As above; `data` and `space` have `count` numbers each.
#[no_mangle]
pub unsafe extern "C" fn rayon_sort(pool: *const ThreadPool, data: *mut u32, space: *mut u32, count: usize) {
    let data = std::slice::from_raw_parts_mut(data, count);
    let space = std::slice::from_raw_parts_mut(space, count);
    (*pool).install(|| sort(data, space))
}

/// # Safety
/// As above; `chunk` is called with `state` and the number of each chunk.
#[no_mangle]
pub unsafe extern "C" fn rayon_loop(
    pool: *const ThreadPool,
    chunks: i32,
    state: usize,
    chunk: extern "C" fn(usize, i32),
) {
    (*pool).install(|| (0..chunks).into_par_iter().for_each(|i| chunk(state, i)))
}
