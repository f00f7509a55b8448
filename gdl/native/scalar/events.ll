; One game at a time, driven by what changes. Hand-written; the game is in the tables.
;
; A gate is true when its count is zero: the number of its operands that are not satisfied.
; Nodes lie in blocks of 64: the truths of a block are one word, its counts one vector of bytes.
; When a node turns, the counts of the gates that read it change, a vector at a time, and the
; blocks that were touched are looked at in order: gates of which the count has reached or left
; zero turn in their turn. Gates of one block never read each other, so each turns once. Whether
; a move is legal is a gate that nothing reads: its count is looked at when a move is drawn.
; `gdl.native.scalar.events` makes the tables and explains them. What stands where is declared in
; `gdl.native.scalar.abi`, from which the functions `@tables.NAME` and `@reader.NAME` are made, each of
; which reads one field; the type of what it returns is filled in here, after `call`.
; `gdl.native.scalar.game` puts all in a row and adds what depends on the processor: `find_changes` and
; `select_bit`.

declare i64 @llvm.fshl.i64(i64, i64, i64)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.cttz.i64(i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; Truths are bits; the edge of a node is twice its number, plus one when it is inverted.
define internal i64 @holds(ptr %truths, i32 %edge) alwaysinline {
  %word32 = lshr i32 %edge, 7
  %index = zext i32 %word32 to i64
  %at = getelementptr inbounds i64, ptr %truths, i64 %index
  %word = load i64, ptr %at
  %place32 = lshr i32 %edge, 1
  %place = zext i32 %place32 to i64
  %low = and i64 %place, 63
  %bit = lshr i64 %word, %low
  %wide = zext i32 %edge to i64
  %both = xor i64 %bit, %wide
  %result = and i64 %both, 1
  ret i64 %result
}

define internal i64 @value(ptr %values, i32 %edge) alwaysinline {
  %index32 = lshr i32 %edge, 1
  %index = zext i32 %index32 to i64
  %at = getelementptr inbounds i8, ptr %values, i64 %index
  %byte = load i8, ptr %at
  %low = trunc i32 %edge to i8
  %both = xor i8 %byte, %low
  %one = and i8 %both, 1
  %result = zext i8 %one to i64
  ret i64 %result
}

; What a count changes by: one more operand that is not satisfied, or one less.
@units = internal constant [2 x <64 x i8>] [
  <64 x i8> splat (i8 1), <64 x i8> splat (i8 -1)
], align 64

; Tell the readers of a node that it has turned, two by two, and return the summary of touched blocks.
define internal i64 @turn(ptr %counts, ptr %nodes, ptr %readers, i64 %node, i64 %true,
                          i64 %open) alwaysinline {
entry:
  %n_at = getelementptr inbounds [2 x i32], ptr %nodes, i64 %node
  %e_at = getelementptr inbounds i32, ptr %n_at, i64 1
  %start32 = load i32, ptr %n_at
  %stop32 = load i32, ptr %e_at
  %start = zext i32 %start32 to i64
  %stop = zext i32 %stop32 to i64
  %satisfied = shl i64 %true, 6
  %some = icmp ult i64 %start, %stop
  br i1 %some, label %reader, label %done
reader:
  %i0 = phi i64 [ %start, %entry ], [ %i2, %reader ]
  %open0 = phi i64 [ %open, %entry ], [ %open2, %reader ]
  %i1 = add i64 %i0, 1
  %row0 = getelementptr inbounds %reader, ptr %readers, i64 %i0
  %mask0 = call @reader.gates(ptr %row0)
  %where320 = call @reader.counts(ptr %row0)
  %up320 = call @reader.summary(ptr %row0)
  %where0 = zext i32 %where320 to i64
  %up0 = zext i32 %up320 to i64
  %sign0 = xor i64 %up0, %satisfied
  %unit0 = and i64 %sign0, 64
  %by_at0 = getelementptr inbounds i8, ptr @units, i64 %unit0
  %by0 = load <64 x i8>, ptr %by_at0, align 64
  %lanes0 = bitcast i64 %mask0 to <64 x i1>
  %change0 = select <64 x i1> %lanes0, <64 x i8> %by0, <64 x i8> zeroinitializer
  %c_at0 = getelementptr inbounds i8, ptr %counts, i64 %where0
  %old0 = load <64 x i8>, ptr %c_at0, align 64
  %new0 = add <64 x i8> %old0, %change0
  store <64 x i8> %new0, ptr %c_at0, align 64
  %shift0 = and i64 %up0, 63
  %up_bit0 = shl i64 1, %shift0
  %open1 = or i64 %open0, %up_bit0
  %row1 = getelementptr inbounds %reader, ptr %readers, i64 %i1
  %mask1 = call @reader.gates(ptr %row1)
  %where321 = call @reader.counts(ptr %row1)
  %up321 = call @reader.summary(ptr %row1)
  %where1 = zext i32 %where321 to i64
  %up1 = zext i32 %up321 to i64
  %sign1 = xor i64 %up1, %satisfied
  %unit1 = and i64 %sign1, 64
  %by_at1 = getelementptr inbounds i8, ptr @units, i64 %unit1
  %by1 = load <64 x i8>, ptr %by_at1, align 64
  %lanes1 = bitcast i64 %mask1 to <64 x i1>
  %change1 = select <64 x i1> %lanes1, <64 x i8> %by1, <64 x i8> zeroinitializer
  %c_at1 = getelementptr inbounds i8, ptr %counts, i64 %where1
  %old1 = load <64 x i8>, ptr %c_at1, align 64
  %new1 = add <64 x i8> %old1, %change1
  store <64 x i8> %new1, ptr %c_at1, align 64
  %shift1 = and i64 %up1, 63
  %up_bit1 = shl i64 1, %shift1
  %open2 = or i64 %open1, %up_bit1
  %i2 = add i64 %i0, 2
  %more = icmp ult i64 %i2, %stop
  br i1 %more, label %reader, label %done
done:
  %open_end = phi i64 [ %open, %entry ], [ %open2, %reader ]
  ret i64 %open_end
}

; Write the facts that some effects turn, in order, and return how many they are.
define internal i64 @find_few(ptr %t, i64 %start, i64 %stop) alwaysinline {
entry:
  %sets = call @tables.effect_facts(ptr %t)
  %edges = call @tables.effect_edges(ptr %t)
  %truths = call @tables.truths(ptr %t)
  %changed = call @tables.changed(ptr %t)
  %some = icmp ult i64 %start, %stop
  br i1 %some, label %effect, label %done
effect:
  %i = phi i64 [ %start, %entry ], [ %i1, %effect ]
  %found = phi i64 [ 0, %entry ], [ %found1, %effect ]
  %set_at = getelementptr inbounds i32, ptr %sets, i64 %i
  %edge_at = getelementptr inbounds i32, ptr %edges, i64 %i
  %set = load i32, ptr %set_at
  %edge = load i32, ptr %edge_at
  %fact = lshr i32 %set, 4
  %new = call i64 @holds(ptr %truths, i32 %edge)
  %doubled = shl i32 %fact, 1
  %old = call i64 @holds(ptr %truths, i32 %doubled)
  %double_new = shl i64 %new, 1
  %case = or i64 %double_new, %old
  %set64 = zext i32 %set to i64
  %answer = lshr i64 %set64, %case
  %one = and i64 %answer, 1
  %to = getelementptr inbounds i32, ptr %changed, i64 %found
  store i32 %fact, ptr %to
  %found1 = add i64 %found, %one
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %stop
  br i1 %more, label %effect, label %done
done:
  %count = phi i64 [ 0, %entry ], [ %found1, %effect ]
  ret i64 %count
}

; Make a move and bring everything up to date, so that equal states are equal in memory.
define void @play(ptr %t, i64 %phase, i64 %move) #0 {
  %all = call i64 @summary.of_gates()
  call void @step(ptr %t, i64 %phase, i64 %move, i64 %all)
  ret void
}

; Make a move: turn the facts that it changes, then the gates of touched blocks, in order. Gates read
; only nodes of lower blocks, so the lowest touched block is settled: it is looked at once, and what it
; turns touches only higher ones. When no bit of the summary is left, all truths are right. Blocks
; that are not wanted wait. The highest bit of a summary is for legal moves, which nothing reads.
define internal void @step(ptr %t, i64 %phase, i64 %move, i64 %want) noinline #0 {
entry:
  %counts = call @tables.work(ptr %t)
  %nodes = call @tables.nodes(ptr %t)
  %readers = call @tables.readers(ptr %t)
  %first = call @tables.effect_rows(ptr %t)
  %truths = call @tables.truths(ptr %t)
  %gates = call @tables.gate_truths(ptr %t)
  %coarse = call @tables.coarse(ptr %t)
  %changed = call @tables.changed(ptr %t)
  %first_gate = call @tables.first_gate(ptr %t)
  %moves = call @tables.moves(ptr %t)
  %pending_at = call @tables.pending(ptr %t)
  %pending = load i64, ptr %pending_at
  %row = mul i64 %phase, %moves
  %index = add i64 %row, %move
  %s_at = getelementptr inbounds i32, ptr %first, i64 %index
  %e_at = getelementptr inbounds i32, ptr %s_at, i64 1
  %start32 = load i32, ptr %s_at
  %stop32 = load i32, ptr %e_at
  %start = zext i32 %start32 to i64
  %stop = zext i32 %stop32 to i64
  %count = call i64 @find_changes(ptr %t, i64 %start, i64 %stop)
  %any = icmp ne i64 %count, 0
  br i1 %any, label %fact, label %summary
fact:
  %j = phi i64 [ 0, %entry ], [ %j1, %fact ]
  %open = phi i64 [ %pending, %entry ], [ %open_then, %fact ]
  %j_at = getelementptr inbounds i32, ptr %changed, i64 %j
  %turned32 = load i32, ptr %j_at
  %turned = zext i32 %turned32 to i64
  %v_word = lshr i64 %turned, 6
  %v_place = and i64 %turned, 63
  %v_at = getelementptr inbounds i64, ptr %truths, i64 %v_word
  %v = load i64, ptr %v_at
  %v_bit = shl i64 1, %v_place
  %v1 = xor i64 %v, %v_bit
  store i64 %v1, ptr %v_at
  %v_now = lshr i64 %v1, %v_place
  %is_true = and i64 %v_now, 1
  %open_then = call i64 @turn(ptr %counts, ptr %nodes, ptr %readers, i64 %turned, i64 %is_true,
                              i64 %open)
  %j1 = add i64 %j, 1
  %j_more = icmp ult i64 %j1, %count
  br i1 %j_more, label %fact, label %summary
summary:
  %left_all = phi i64 [ %pending, %entry ], [ %open_then, %fact ], [ %left_next, %range_done ]
  %left = and i64 %left_all, %want
  %none = icmp eq i64 %left, 0
  br i1 %none, label %done, label %range
range:
  %k = call i64 @llvm.cttz.i64(i64 %left, i1 true)
  %w0 = shl i64 %k, %coarse
  %k1 = add i64 %k, 1
  %w_end = shl i64 %k1, %coarse
  br label %block
block:
  %w = phi i64 [ %w0, %range ], [ %w1, %block_done ]
  %open_w = phi i64 [ %left_all, %range ], [ %open_d, %block_done ]
  %n_at = getelementptr inbounds <64 x i8>, ptr %counts, i64 %w
  %n = load <64 x i8>, ptr %n_at, align 64
  %zero = icmp eq <64 x i8> %n, zeroinitializer
  %now = bitcast <64 x i1> %zero to i64
  %w_at = getelementptr inbounds i64, ptr %gates, i64 %w
  %before = load i64, ptr %w_at
  ; A gate turns when its count has reached or left zero; how far the count moved tells nothing.
  %odd = xor i64 %now, %before
  %none_odd = icmp eq i64 %odd, 0
  br i1 %none_odd, label %block_done, label %gates_of
gates_of:
  store i64 %now, ptr %w_at
  %w64 = shl i64 %w, 6
  %base = add i64 %w64, %first_gate
  br label %gate
gate:
  %bits = phi i64 [ %odd, %gates_of ], [ %less, %gate ]
  %open_g = phi i64 [ %open_w, %gates_of ], [ %open_g1, %gate ]
  %b = call i64 @llvm.cttz.i64(i64 %bits, i1 true)
  %minus = add i64 %bits, -1
  %less = and i64 %bits, %minus
  %node = add i64 %base, %b
  %g_now = lshr i64 %now, %b
  %g_true = and i64 %g_now, 1
  %open_g1 = call i64 @turn(ptr %counts, ptr %nodes, ptr %readers, i64 %node, i64 %g_true,
                            i64 %open_g)
  %g_more = icmp ne i64 %less, 0
  br i1 %g_more, label %gate, label %block_done
block_done:
  %open_d = phi i64 [ %open_w, %block ], [ %open_g1, %gate ]
  %w1 = add i64 %w, 1
  %w_more = icmp ult i64 %w1, %w_end
  br i1 %w_more, label %block, label %range_done
range_done:
  %kbit = shl i64 1, %k
  %knot = xor i64 %kbit, -1
  %left_next = and i64 %open_d, %knot
  br label %summary
done:
  %of_gates = call i64 @summary.of_gates()
  %waiting = and i64 %left_all, %of_gates
  store i64 %waiting, ptr %pending_at
  ret void
}

define internal i64 @random(ptr %state) alwaysinline {
  %high_at = getelementptr inbounds i64, ptr %state, i64 1
  %s0 = load i64, ptr %state
  %s1 = load i64, ptr %high_at
  %sum = add i64 %s0, %s1
  %rolled = call i64 @llvm.fshl.i64(i64 %sum, i64 %sum, i64 17)
  %result = add i64 %rolled, %s0
  %x = xor i64 %s1, %s0
  %r0 = call i64 @llvm.fshl.i64(i64 %s0, i64 %s0, i64 49)
  %sh = shl i64 %x, 21
  %y = xor i64 %r0, %x
  %n0 = xor i64 %y, %sh
  %n1 = call i64 @llvm.fshl.i64(i64 %x, i64 %x, i64 28)
  store i64 %n0, ptr %state
  store i64 %n1, ptr %high_at
  ret i64 %result
}

; Return the number of a legal move drawn uniformly, -1 where there is none.
define internal i64 @random_move(ptr %t, i64 %phase) #0 {
entry:
  %counts = call @tables.work(ptr %t)
  %slices = call @tables.legal_blocks(ptr %t)
  %base = call @tables.legal_words(ptr %t)
  %state = call @tables.random(ptr %t)
  %slice = getelementptr inbounds [2 x i64], ptr %slices, i64 %phase
  %first = load i64, ptr %slice
  %n_at = getelementptr inbounds i64, ptr %slice, i64 1
  %n = load i64, ptr %n_at
  %blocks = getelementptr inbounds <64 x i8>, ptr %counts, i64 %first
  br label %count
count:
  %i = phi i64 [ 0, %entry ], [ %i1, %count ]
  %total = phi i64 [ 0, %entry ], [ %total1, %count ]
  %c_at = getelementptr inbounds <64 x i8>, ptr %blocks, i64 %i
  %c = load <64 x i8>, ptr %c_at, align 64
  %zero = icmp eq <64 x i8> %c, zeroinitializer
  %word = bitcast <64 x i1> %zero to i64
  %at = getelementptr inbounds i64, ptr %base, i64 %i
  store i64 %word, ptr %at
  %ones = call i64 @llvm.ctpop.i64(i64 %word)
  %total1 = add i64 %total, %ones
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %n
  br i1 %more, label %count, label %rank
rank:
  %none = icmp eq i64 %total1, 0
  br i1 %none, label %stuck, label %try
stuck:
  ret i64 -1
try:
  ; Lemire, "Fast Random Integer Generation in an Interval", 2019; low part below total: rare.
  %r = call i64 @random(ptr %state)
  %wide = zext i64 %r to i128
  %by = zext i64 %total1 to i128
  %product = mul i128 %wide, %by
  %low = trunc i128 %product to i64
  %maybe = icmp ult i64 %low, %total1
  br i1 %maybe, label %exact, label %take
exact:
  %minus = sub i64 0, %total1
  %bound = urem i64 %minus, %total1
  %reject = icmp ult i64 %low, %bound
  br i1 %reject, label %try, label %take
take:
  %shifted = lshr i128 %product, 64
  %chosen = trunc i128 %shifted to i64
  br label %find
find:
  ; The word in which the rank-th legal move lies, without a branch on where: that is random, and
  ; would be mispredicted half of the time.
  %j = phi i64 [ 0, %take ], [ %j1, %find ]
  %passed = phi i64 [ 0, %take ], [ %passed1, %find ]
  %before = phi i64 [ 0, %take ], [ %before1, %find ]
  %which = phi i64 [ 0, %take ], [ %which1, %find ]
  %f_at = getelementptr inbounds i64, ptr %base, i64 %j
  %f_word = load i64, ptr %f_at
  %f_ones = call i64 @llvm.ctpop.i64(i64 %f_word)
  %passed1 = add i64 %passed, %f_ones
  %beyond = icmp uge i64 %chosen, %passed1
  %step = zext i1 %beyond to i64
  %which1 = add i64 %which, %step
  %before1 = select i1 %beyond, i64 %passed1, i64 %before
  %j1 = add i64 %j, 1
  %j_more = icmp ult i64 %j1, %n
  br i1 %j_more, label %find, label %within
within:
  %left = sub i64 %chosen, %before1
  %w_at = getelementptr inbounds i64, ptr %base, i64 %which1
  %w_word = load i64, ptr %w_at
  %k = call i64 @select_bit(i64 %w_word, i64 %left)
  %w64 = shl i64 %which1, 6
  %move = add i64 %w64, %k
  ret i64 %move
}

; Play from the state where rollouts begin, in the phase given, uniformly at random.
define void @rollouts(ptr %t, i64 %begin, i64 %n, i64 %limit) #0 {
entry:
  %counts = call @tables.work(ptr %t)
  %start = call @tables.start(ptr %t)
  %bytes = call @tables.state_bytes(ptr %t)
  %phases = call @tables.phases(ptr %t)
  %ends = call @tables.terminal(ptr %t)
  %wanted = call @tables.summary(ptr %t)
  %truths = call @tables.truths(ptr %t)
  %lengths = call @tables.lengths(ptr %t)
  %stuck_at = call @tables.stuck(ptr %t)
  %cut_at = call @tables.cut(ptr %t)
  %nothing = icmp eq i64 %n, 0
  br i1 %nothing, label %done, label %rollout
rollout:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  call void @llvm.memcpy.p0.p0.i64(ptr %counts, ptr %start, i64 %bytes, i1 false)
  br label %state
state:
  %plies = phi i64 [ 0, %rollout ], [ %plies1, %ply ]
  %phase = phi i64 [ %begin, %rollout ], [ %phase2, %ply ]
  %end_at = getelementptr inbounds i32, ptr %ends, i64 %phase
  %end = load i32, ptr %end_at
  %ended = call i64 @holds(ptr %truths, i32 %end)
  %over = icmp ne i64 %ended, 0
  br i1 %over, label %score, label %on
on:
  %long = icmp uge i64 %plies, %limit
  br i1 %long, label %cut, label %pick
pick:
  %move = call i64 @random_move(ptr %t, i64 %phase)
  %none = icmp slt i64 %move, 0
  br i1 %none, label %stuck, label %ply
ply:
  %phase1 = add i64 %phase, 1
  %wraps = icmp eq i64 %phase1, %phases
  %phase2 = select i1 %wraps, i64 0, i64 %phase1
  %want_at = getelementptr inbounds i64, ptr %wanted, i64 %phase2
  %want = load i64, ptr %want_at
  call void @step(ptr %t, i64 %phase, i64 %move, i64 %want)
  %plies1 = add i64 %plies, 1
  br label %state
score:
  call void @score(ptr %t, i64 %phase)
  %len_at = getelementptr inbounds i64, ptr %lengths, i64 %plies
  br label %count
stuck:
  br label %count
cut:
  br label %count
count:
  %count_at = phi ptr [ %len_at, %score ], [ %stuck_at, %stuck ], [ %cut_at, %cut ]
  %old = load i64, ptr %count_at
  %new = add i64 %old, 1
  store i64 %new, ptr %count_at
  br label %next
next:
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %n
  br i1 %more, label %rollout, label %done
done:
  ret void
}

; Run the tape of a phase over the working state: the values of the goals.
define void @goals(ptr %t, i64 %phase) {
entry:
  %truths = call @tables.truths(ptr %t)
  %tapes = call @tables.tapes(ptr %t)
  %reads = call @tables.tape_reads(ptr %t)
  %gates = call @tables.tape_gates(ptr %t)
  %values = call @tables.tape_values(ptr %t)
  %tape = getelementptr inbounds [4 x i32], ptr %tapes, i64 %phase
  %re_at = getelementptr inbounds i32, ptr %tape, i64 1
  %gs_at = getelementptr inbounds i32, ptr %tape, i64 2
  %ge_at = getelementptr inbounds i32, ptr %tape, i64 3
  %r_start32 = load i32, ptr %tape
  %r_stop32 = load i32, ptr %re_at
  %g_start32 = load i32, ptr %gs_at
  %g_stop32 = load i32, ptr %ge_at
  %r_start = zext i32 %r_start32 to i64
  %r_stop = zext i32 %r_stop32 to i64
  %g_start = zext i32 %g_start32 to i64
  %g_stop = zext i32 %g_stop32 to i64
  %r_some = icmp ult i64 %r_start, %r_stop
  br i1 %r_some, label %read, label %read_done
read:
  %i = phi i64 [ %r_start, %entry ], [ %i1, %read ]
  %place = phi i64 [ 1, %entry ], [ %place1, %read ]
  %r_at = getelementptr inbounds i32, ptr %reads, i64 %i
  %r = load i32, ptr %r_at
  %held = call i64 @holds(ptr %truths, i32 %r)
  %held8 = trunc i64 %held to i8
  %v_at = getelementptr inbounds i8, ptr %values, i64 %place
  store i8 %held8, ptr %v_at
  %place1 = add i64 %place, 1
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %r_stop
  br i1 %more, label %read, label %read_done
read_done:
  %here = phi i64 [ 1, %entry ], [ %place1, %read ]
  %g_some = icmp ult i64 %g_start, %g_stop
  br i1 %g_some, label %gate, label %done
gate:
  %j = phi i64 [ %g_start, %read_done ], [ %j1, %gate ]
  %to = phi i64 [ %here, %read_done ], [ %to1, %gate ]
  %a_at = getelementptr inbounds [2 x i32], ptr %gates, i64 %j
  %b_at = getelementptr inbounds i32, ptr %a_at, i64 1
  %a_edge = load i32, ptr %a_at
  %b_edge = load i32, ptr %b_at
  %a = call i64 @value(ptr %values, i32 %a_edge)
  %b = call i64 @value(ptr %values, i32 %b_edge)
  %both = and i64 %a, %b
  %both8 = trunc i64 %both to i8
  %g_at = getelementptr inbounds i8, ptr %values, i64 %to
  store i8 %both8, ptr %g_at
  %to1 = add i64 %to, 1
  %j1 = add i64 %j, 1
  %g_more = icmp ult i64 %j1, %g_stop
  br i1 %g_more, label %gate, label %done
done:
  ret void
}

; Count the goal vector of the working state.
define internal void @score(ptr %t, i64 %phase) noinline {
entry:
  call void @goals(ptr %t, i64 %phase)
  %values = call @tables.tape_values(ptr %t)
  %first = call @tables.goal_rows(ptr %t)
  %edges = call @tables.goal_edges(ptr %t)
  %roles = call @tables.roles(ptr %t)
  %factors = call @tables.goal_factors(ptr %t)
  %table = call @tables.ends(ptr %t)
  %row = mul i64 %phase, %roles
  br label %role
role:
  %r = phi i64 [ 0, %entry ], [ %r1, %role_end ]
  %key = phi i64 [ 0, %entry ], [ %key1, %role_end ]
  %index = add i64 %row, %r
  %s_at = getelementptr inbounds i32, ptr %first, i64 %index
  %index1 = add i64 %index, 1
  %e_at = getelementptr inbounds i32, ptr %first, i64 %index1
  %s32 = load i32, ptr %s_at
  %e32 = load i32, ptr %e_at
  %s = zext i32 %s32 to i64
  %e = zext i32 %e32 to i64
  br label %goal
goal:
  %i = phi i64 [ %s, %role ], [ %i1, %goal_next ]
  %which = phi i64 [ 0, %role ], [ %which1, %goal_next ]
  %many = phi i64 [ 0, %role ], [ %many1, %goal_next ]
  %more = icmp ult i64 %i, %e
  br i1 %more, label %goal_next, label %role_end
goal_next:
  %edge_at = getelementptr inbounds i32, ptr %edges, i64 %i
  %edge = load i32, ptr %edge_at
  %value = call i64 @value(ptr %values, i32 %edge)
  %true = icmp ne i64 %value, 0
  %offset = sub i64 %i, %s
  %number = add i64 %offset, 1
  %which1 = select i1 %true, i64 %number, i64 %which
  %one = zext i1 %true to i64
  %many1 = add i64 %many, %one
  %i1 = add i64 %i, 1
  br label %goal
role_end:
  %single = icmp eq i64 %many, 1
  %goal_index = select i1 %single, i64 %which, i64 0
  %factor_at = getelementptr inbounds i64, ptr %factors, i64 %r
  %factor = load i64, ptr %factor_at
  %part = mul i64 %goal_index, %factor
  %key1 = add i64 %key, %part
  %r1 = add i64 %r, 1
  %again = icmp ult i64 %r1, %roles
  br i1 %again, label %role, label %count
count:
  %at = getelementptr inbounds i64, ptr %table, i64 %key1
  %old = load i64, ptr %at
  %new = add i64 %old, 1
  store i64 %new, ptr %at
  ret void
}

attributes #0 = { nounwind "min-legal-vector-width"="512" "prefer-vector-width"="512" }

!0 = !{}
