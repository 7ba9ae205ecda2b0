"""What the code of documentation takes for granted, by the file that it is in: declarations, of which nothing runs."""

CONTEXTS = {
    "host/croft/coprocessor.hpp": "void use(long);",
    "docs/patterns/README.md": "std::optional<int> source(); int pattern(int); void sink(int);",
    "docs/seeing.md": """
        struct packet {}; packet receive(std::uint32_t); bool is_intact(const packet&);
        std::uint32_t classify(const packet&);
        constexpr std::uint32_t packets = 40; extern std::uint32_t next; extern char** arguments;
        extern std::array<int, 16> kinds;""",
    "include/croft/channel/inbox.hpp": "struct order { int number; }; void handle(order);",
    "include/croft/channel/many_to_many.hpp": "void use(int);",
    "include/croft/channel/request_reply.hpp": """
        struct Request {}; struct Reply {}; Reply answer(Request);
        extern croft::request_reply<Request, Reply> channel;
        extern Request request;""",
    "include/croft/channel/wait_any.hpp": "void use(int);",
    "include/croft/coroutine/async_close.hpp": "extern croft::channel<int> orders;",
    "include/croft/coroutine/async_receive.hpp": "extern croft::channel<int> orders; void handle(int);",
    "include/croft/coroutine/async_run.hpp": "std::optional<int> source(); int parse(int); void sink(int);",
    "include/croft/coroutine/async_send.hpp": "extern croft::channel<int> orders; extern int next;",
    "include/croft/coroutine/until_stopped.hpp": """
        extern croft::channel<int> orders; extern int mine; extern std::stop_token stop; void handle(int);""",
    "include/croft/memory/task_ptr.hpp": """
        struct picture {}; void fill(picture&); void filter(picture&); void show(picture&);""",
    "docs/across.md": "extern const croft::mpi::processes& world;",
    "include/croft/mpi/across.hpp": """
        extern const croft::mpi::processes& world; int simulate(int); int parse(int); int work(int); int look_up(int);
        struct picture {}; struct part {};
        part filter(const picture&, croft::share); picture paste(picture, std::vector<part>);
        picture cut(picture&, croft::share);""",
    "include/croft/mpi/channel.hpp": "extern const croft::mpi::processes& group; void use(int);",
    "include/croft/mpi/frame_link.hpp": """
        extern croft::mpi::frame_link& link; std::size_t write(std::byte*); void read(std::span<std::byte>);""",
    "include/croft/mpi/many_to_one.hpp": """
        extern const croft::mpi::processes& group; void use(int, int);""",
    "include/croft/mpi/request_reply.hpp": """
        extern const croft::mpi::processes& group; struct question {}; struct answer {}; answer answer_to(question);""",
    "include/croft/mpi/processes.hpp": "extern MPI_Comm some_communicator;",
    "include/croft/mpi/waiter.hpp": """
        extern const croft::mpi::processes& group;
        void look_at(std::optional<int>, std::optional<int>, std::optional<int>);""",
    "include/croft/mpi/run.hpp": "std::optional<int> source(); int simulate(int); void sink(int);",
    "include/croft/pattern/accelerator.hpp": "struct order {}; struct quote {}; quote price(order); extern order next;",
    "include/croft/pattern/all_to_all.hpp": """
        struct word {}; word parse(int); int count(word); std::size_t hash(const word&);""",
    "include/croft/pattern/divide_and_conquer.hpp": """
        struct range { int size() const; range left(), right(); };
        range sorted(range); range merged(std::vector<range>);""",
    "include/croft/pattern/farm.hpp": """
        struct order { std::size_t account; bool urgent; };
        int simulate(int); int read(int); int parse(int); int update(order);""",
    "include/croft/pattern/feedback.hpp": """
        struct mesh { double error; }; mesh refine(mesh); extern double limit;
        struct node {}; struct path {}; void expand(node, croft::out<node>&);""",
    "include/croft/pattern/graph.hpp": """
        struct picture {}; struct found {}; struct report {};
        picture parse(picture); found find_edges(picture); found find_faces(picture);
        report describe(std::pair<found, found>); std::optional<picture> source(); void sink(report);""",
    "include/croft/pattern/hand_over.hpp": "struct picture {};",
    "many_core/croft/pattern/host_link.hpp": """
        struct matrix { double at[4]; }; void multiply(const matrix&, const matrix&, matrix&); extern matrix b;""",
    "include/croft/pattern/map.hpp": """
        struct picture { std::size_t rows() const; }; struct part {};
        std::optional<const picture*> source();
        int brightest(const picture&, croft::share); int most(int, int);
        part filter(const picture&, croft::share); picture paste(picture, std::vector<part>);
        picture cut(picture&, croft::share);""",
    "include/croft/pattern/pipeline.hpp": "int simulate(int); std::string print_name(int);",
    "include/croft/pattern/placement.hpp": "std::optional<int> source(); int pattern(int); void sink(int);",
    "include/croft/pattern/reduce.hpp": "struct body { double mass; };",
    "include/croft/pattern/run_measured.hpp": "std::optional<int> source(); int simulate(int); void sink(int);",
    "include/croft/pattern/run.hpp": "int parse(int); int simulate(int); std::string format(int);",
    "many_core/croft/pattern/serve.hpp": "struct matrix { double at[4]; };",
    "include/croft/task/parallel_for.hpp": """
        extern int n, *dst, *a, *b; extern std::vector<int> v; void add(int first, int last);""",
    "include/croft/task/parallel_invoke.hpp": "long fib(int);",
    "include/croft/task/parallel_reduce.hpp": "extern int n, *a;",
    "include/croft/task/parallel_scan.hpp": "extern int n, *a; extern long* sums;",
    "include/croft/task/range_2d.hpp": """
        extern std::size_t rows, columns; extern double **a, **b; void blur(croft::range_2d);""",
    "include/croft/task/sort.hpp": "extern std::vector<int> v;",
    "include/croft/task/transform_reduce.hpp": "extern std::vector<double> v; extern std::vector<std::string> words;",
    "include/croft/task/worker_local.hpp": "extern int n, *a;",
    "include/croft/task/scheduler.hpp": "long fib(int);",
    "include/croft/task/submit.hpp": "double simulate(int); void use(double);",
    "include/croft/task/task_group.hpp": """
        struct part {}; extern std::vector<part> parts; void search(part&); extern bool found;""",
}
