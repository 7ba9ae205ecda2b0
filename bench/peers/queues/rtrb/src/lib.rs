//! The rtrb crate's queue under bench/traffic.hpp's two kinds of traffic, for C++ to call and to time.

use rtrb::{Consumer, Producer, RingBuffer};
use std::ffi::c_void;
use std::hint::spin_loop;

type Payload<const WORDS: usize> = [u64; WORDS];

/// Both ends. Each is used by one thread only, through a pointer to it alone.
struct Queue<const WORDS: usize> {
    producer: Producer<Payload<WORDS>>,
    consumer: Consumer<Payload<WORDS>>,
}

fn queue<const WORDS: usize>(capacity: usize) -> *mut c_void {
    let (producer, consumer) = RingBuffer::new(capacity);
    Box::into_raw(Box::new(Queue::<WORDS> { producer, consumer })).cast()
}

unsafe fn producer<'a, const WORDS: usize>(queue: *mut c_void) -> &'a mut Producer<Payload<WORDS>> {
    &mut *std::ptr::addr_of_mut!((*queue.cast::<Queue<WORDS>>()).producer)
}

unsafe fn consumer<'a, const WORDS: usize>(queue: *mut c_void) -> &'a mut Consumer<Payload<WORDS>> {
    &mut *std::ptr::addr_of_mut!((*queue.cast::<Queue<WORDS>>()).consumer)
}

fn push<const WORDS: usize>(to: &mut Producer<Payload<WORDS>>, message: Payload<WORDS>) {
    while to.push(message).is_err() {
        spin_loop();
    }
}

fn pop<const WORDS: usize>(from: &mut Consumer<Payload<WORDS>>) -> Payload<WORDS> {
    loop {
        match from.pop() {
            Ok(message) => return message,
            Err(_) => spin_loop(),
        }
    }
}

macro_rules! traffic {
    ($words:literal, $queue:ident, $free:ident, $ping:ident, $pong:ident, $send:ident, $receive:ident) => {
        #[no_mangle]
        pub extern "C" fn $queue(capacity: usize) -> *mut c_void {
            queue::<$words>(capacity)
        }
        /// # Safety
        /// `q` is from the function above, and nobody uses it any more.
        #[no_mangle]
        pub unsafe extern "C" fn $free(q: *mut c_void) {
            drop(Box::from_raw(q.cast::<Queue<$words>>()));
        }
        /// # Safety
        /// No other thread sends to `there` or receives from `back`.
        #[no_mangle]
        pub unsafe extern "C" fn $ping(there: *mut c_void, back: *mut c_void, trips: u64) {
            let (to, from) = (producer::<$words>(there), consumer::<$words>(back));
            for i in 0..trips {
                push(to, [i; $words]);
                assert_eq!(pop(from)[$words - 1], i);
            }
        }
        /// # Safety
        /// No other thread receives from `there` or sends to `back`.
        #[no_mangle]
        pub unsafe extern "C" fn $pong(there: *mut c_void, back: *mut c_void, trips: u64) {
            let (from, to) = (consumer::<$words>(there), producer::<$words>(back));
            for _ in 0..trips {
                push(to, pop(from));
            }
        }
        /// # Safety
        /// No other thread sends to `q`.
        #[no_mangle]
        pub unsafe extern "C" fn $send(q: *mut c_void, messages: u64) {
            let to = producer::<$words>(q);
            for i in 0..messages {
                push(to, [i; $words]);
            }
        }
        /// # Safety
        /// No other thread receives from `q`.
        #[no_mangle]
        pub unsafe extern "C" fn $receive(q: *mut c_void, messages: u64) {
            let from = consumer::<$words>(q);
            let mut wrong = 0u64;
            for i in 0..messages {
                wrong += u64::from(pop(from)[$words - 1] != i);
            }
            assert_eq!(wrong, 0);
        }
    };
}

traffic!(1, rtrb_queue_8, rtrb_free_8, rtrb_ping_8, rtrb_pong_8, rtrb_send_8, rtrb_receive_8);
traffic!(8, rtrb_queue_64, rtrb_free_64, rtrb_ping_64, rtrb_pong_64, rtrb_send_64, rtrb_receive_64);
