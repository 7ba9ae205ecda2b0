"""Which header of the standard library has what croft's headers name of it (the one that a reader would look in)."""

HEADERS = {
    "algorithm": "any_of all_of clamp copy copy_n fill fill_n find find_if inplace_merge lower_bound max max_element"
    " merge min min_element none_of pop_heap push_heap remove_if reverse rotate sort stable_sort transform unique"
    " upper_bound",
    "array": "array",
    "atomic": "atomic atomic_ref atomic_signal_fence atomic_thread_fence memory_order memory_order_acq_rel"
    " memory_order_acquire memory_order_relaxed memory_order_release memory_order_seq_cst",
    "bit": "bit_cast bit_ceil bit_floor bit_width countl_zero countr_one countr_zero has_single_bit",
    "chrono": "chrono",
    "condition_variable": "condition_variable",
    "concepts": "constructible_from convertible_to copy_constructible copyable default_initializable derived_from"
    " integral invocable movable predicate same_as signed_integral unsigned_integral",
    "coroutine": "coroutine_handle noop_coroutine suspend_always suspend_never",
    "cstddef": "byte max_align_t nullptr_t ptrdiff_t size_t",
    "cstdint": "int16_t int32_t int64_t int8_t intptr_t uint16_t uint32_t uint64_t uint8_t uintptr_t",
    "cstdio": "FILE fopen fprintf printf snprintf",
    "cstdlib": "abort getenv strtod strtol strtoul",
    "cstring": "memcmp memcpy memset strchr strcspn strlen strrchr strstr",
    "deque": "deque",
    "exception": "current_exception exception_ptr make_exception_ptr rethrow_exception terminate uncaught_exceptions",
    "functional": "equal_to function greater hash identity invoke less plus ref reference_wrapper",
    "initializer_list": "initializer_list",
    "iterator": "back_inserter forward_iterator input_iterator iter_difference_t iter_reference_t iter_value_t"
    " iterator_traits make_move_iterator prev random_access_iterator sentinel_for",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map",
    "memory": "addressof align allocator construct_at destroy_at destroy_n make_shared make_unique"
    " make_unique_for_overwrite shared_ptr uninitialized_default_construct_n uninitialized_move"
    " uninitialized_value_construct_n unique_ptr weak_ptr",
    "mutex": "call_once lock_guard mutex once_flag scoped_lock unique_lock",
    "new": "align_val_t bad_alloc launder nothrow",
    "numeric": "accumulate gcd iota",
    "optional": "nullopt optional",
    "random": "mt19937",
    "set": "set",
    "span": "span",
    "stdexcept": "invalid_argument length_error logic_error out_of_range runtime_error",
    "stop_token": "stop_callback stop_source stop_token",
    "string": "string to_string",
    "string_view": "string_view",
    "system_error": "generic_category make_error_code system_error",
    "thread": "jthread this_thread thread",
    "tuple": "apply forward_as_tuple make_tuple tie tuple",
    "type_traits": "common_type_t conditional_t decay_t enable_if_t false_type integral_constant invoke_result_t"
    " is_base_of_v is_constructible_v is_convertible_v is_default_constructible_v is_enum_v is_integral_v"
    " is_invocable_r_v is_invocable_v is_pointer_v is_same_v is_trivially_copyable_v is_void_v remove_cvref_t"
    " remove_reference_t true_type type_identity void_t",
    "unordered_map": "unordered_map",
    "utility": "as_const cmp_less declval exchange forward in_place in_range index_sequence index_sequence_for"
    " make_index_sequence make_pair move pair swap",
    "variant": "get_if monostate variant visit",
    "vector": "vector",
}

HEADER_OF = {name: header for header, names in HEADERS.items() for name in names.split()}
