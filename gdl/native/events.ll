; One game at a time, driven by what changes. Hand-written; the game is in the tables.
;
; A gate is true when its count is zero: the number of its operands that are not satisfied.
; When a node turns, the counts of the gates that read it change by one, and those that reach
; or leave zero are marked to turn in their turn (or no longer, if they were marked already).
; Nodes are numbered in topological order and the lowest marked one is next: each turns once.
; `gdl.native.events` makes the tables and explains them.

%tables = type { ptr,   ;  0 counts, i16 a node; with truths and legal words the working state
                 ptr,   ;  1 the same of the state in which rollouts begin
                 i64,   ;  2 bytes of such a state
                 ptr,   ;  3 of each node four i32: first reader, end; first legal word, end
                 ptr,   ;  4 readers: twice the gate, plus one when it reads the inverse, i32
                 i64,   ;  5 (not used)
                 ptr,   ;  6 legal words that turn with the node, i32
                 ptr,   ;  7 which bits of them, i64
                 ptr,   ;  8 first effect of each phase and move, i32
                 ptr,   ;  9 effects, two i32: a fact times 16 plus a table, and an edge; bit 2e + f
                        ;    of the table says whether a fact that is f turns when the edge is e
                 i64,   ; 10 (not used)
                 ptr,   ; 11 marks, a bit a node, i64
                 i64,   ; 12 a bit of the summary stands for two to this many words of marks
                 ptr,   ; 13 room for the facts that a move changes, i32
                 ptr,   ; 14 truths of the working state, i8 a node
                 ptr,   ; 15 legal words of the working state, i64
                 i64,   ; 16 legal words of a phase
                 i64,   ; 17 moves of a phase
                 i64,   ; 18 phases
                 ptr,   ; 19 edge of terminal in each phase, i32
                 ptr,   ; 20 first goal edge of each phase and role, i32
                 ptr,   ; 21 goal edges, i32
                 i64,   ; 22 roles
                 ptr,   ; 23 factor of each role in the index of a goal vector, i64
                 ptr,   ; 24 how many rollouts ended with each goal vector, i64
                 ptr,   ; 25 and with each length, i64
                 ptr }  ; 26 random state, two i64; then how many were stuck, and cut

declare i64 @llvm.fshl.i64(i64, i64, i64)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.cttz.i64(i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal i1 @holds(ptr %truths, i32 %edge) alwaysinline {
  %node = lshr i32 %edge, 1
  %index = zext i32 %node to i64
  %at = getelementptr inbounds i8, ptr %truths, i64 %index
  %truth = load i8, ptr %at
  %low = trunc i32 %edge to i8
  %both = xor i8 %truth, %low
  %result = trunc i8 %both to i1
  ret i1 %result
}

define internal ptr @pointer(ptr %t, i64 %i) alwaysinline {
  %at = getelementptr inbounds ptr, ptr %t, i64 %i
  %p = load ptr, ptr %at, !invariant.load !0
  ret ptr %p
}

define internal i64 @number(ptr %t, i64 %i) alwaysinline {
  %at = getelementptr inbounds i64, ptr %t, i64 %i
  %p = load i64, ptr %at, !invariant.load !0
  ret i64 %p
}

; Turn one node, and return the summary of marks.
define internal i64 @turn(ptr %counts, ptr %nodes, ptr %readers, ptr %act_word, ptr %act_bits,
                          ptr %marks, i64 %coarse, ptr %legal, i64 %node, i1 %is_true,
                          i64 %open) alwaysinline {
entry:
  %true = zext i1 %is_true to i32
  %n_at = getelementptr inbounds [4 x i32], ptr %nodes, i64 %node
  %re_at = getelementptr inbounds i32, ptr %n_at, i64 1
  %as_at = getelementptr inbounds i32, ptr %n_at, i64 2
  %ae_at = getelementptr inbounds i32, ptr %n_at, i64 3
  %r_start32 = load i32, ptr %n_at
  %r_stop32 = load i32, ptr %re_at
  %a_start = load i32, ptr %as_at
  %a_stop = load i32, ptr %ae_at
  %r_start = zext i32 %r_start32 to i64
  %r_stop = zext i32 %r_stop32 to i64
  %r_some = icmp ult i64 %r_start, %r_stop
  br i1 %r_some, label %reader, label %acts
reader:
  ; Four at a time; lists are filled up with a gate that nobody reads.
  %i = phi i64 [ %r_start, %entry ], [ %i1, %next ]
  %open_here = phi i64 [ %open, %entry ], [ %open_next, %next ]
  %i_0 = add i64 %i, 0
  %r_at0 = getelementptr inbounds i32, ptr %readers, i64 %i_0
  %r0 = load i32, ptr %r_at0
  %gate32_0 = lshr i32 %r0, 1
  %gate0 = zext i32 %gate32_0 to i64
  %inverse0 = and i32 %r0, 1
  %satisfied0 = xor i32 %true, %inverse0
  %twice0 = shl i32 %satisfied0, 1
  %delta32_0 = sub i32 1, %twice0
  %delta0 = trunc i32 %delta32_0 to i16
  %g_at0 = getelementptr inbounds i16, ptr %counts, i64 %gate0
  %old0 = load i16, ptr %g_at0
  %new0 = add i16 %old0, %delta0
  store i16 %new0, ptr %g_at0
  %was0 = icmp eq i16 %old0, 0
  %is0 = icmp eq i16 %new0, 0
  %cross0 = or i1 %was0, %is0
  %i_1 = add i64 %i, 1
  %r_at1 = getelementptr inbounds i32, ptr %readers, i64 %i_1
  %r1 = load i32, ptr %r_at1
  %gate32_1 = lshr i32 %r1, 1
  %gate1 = zext i32 %gate32_1 to i64
  %inverse1 = and i32 %r1, 1
  %satisfied1 = xor i32 %true, %inverse1
  %twice1 = shl i32 %satisfied1, 1
  %delta32_1 = sub i32 1, %twice1
  %delta1 = trunc i32 %delta32_1 to i16
  %g_at1 = getelementptr inbounds i16, ptr %counts, i64 %gate1
  %old1 = load i16, ptr %g_at1
  %new1 = add i16 %old1, %delta1
  store i16 %new1, ptr %g_at1
  %was1 = icmp eq i16 %old1, 0
  %is1 = icmp eq i16 %new1, 0
  %cross1 = or i1 %was1, %is1
  %i_2 = add i64 %i, 2
  %r_at2 = getelementptr inbounds i32, ptr %readers, i64 %i_2
  %r2 = load i32, ptr %r_at2
  %gate32_2 = lshr i32 %r2, 1
  %gate2 = zext i32 %gate32_2 to i64
  %inverse2 = and i32 %r2, 1
  %satisfied2 = xor i32 %true, %inverse2
  %twice2 = shl i32 %satisfied2, 1
  %delta32_2 = sub i32 1, %twice2
  %delta2 = trunc i32 %delta32_2 to i16
  %g_at2 = getelementptr inbounds i16, ptr %counts, i64 %gate2
  %old2 = load i16, ptr %g_at2
  %new2 = add i16 %old2, %delta2
  store i16 %new2, ptr %g_at2
  %was2 = icmp eq i16 %old2, 0
  %is2 = icmp eq i16 %new2, 0
  %cross2 = or i1 %was2, %is2
  %i_3 = add i64 %i, 3
  %r_at3 = getelementptr inbounds i32, ptr %readers, i64 %i_3
  %r3 = load i32, ptr %r_at3
  %gate32_3 = lshr i32 %r3, 1
  %gate3 = zext i32 %gate32_3 to i64
  %inverse3 = and i32 %r3, 1
  %satisfied3 = xor i32 %true, %inverse3
  %twice3 = shl i32 %satisfied3, 1
  %delta32_3 = sub i32 1, %twice3
  %delta3 = trunc i32 %delta32_3 to i16
  %g_at3 = getelementptr inbounds i16, ptr %counts, i64 %gate3
  %old3 = load i16, ptr %g_at3
  %new3 = add i16 %old3, %delta3
  store i16 %new3, ptr %g_at3
  %was3 = icmp eq i16 %old3, 0
  %is3 = icmp eq i16 %new3, 0
  %cross3 = or i1 %was3, %is3
  %any01 = or i1 %cross0, %cross1
  %any23 = or i1 %cross2, %cross3
  %any = or i1 %any01, %any23
  br i1 %any, label %note, label %next
note:
  %one0 = zext i1 %cross0 to i64
  %word0 = lshr i64 %gate0, 6
  %place0 = and i64 %gate0, 63
  %bit0 = shl i64 %one0, %place0
  %m_at0 = getelementptr inbounds i64, ptr %marks, i64 %word0
  %m_old0 = load i64, ptr %m_at0
  %m_new0 = xor i64 %m_old0, %bit0
  store i64 %m_new0, ptr %m_at0
  %up0 = lshr i64 %word0, %coarse
  %upbit0 = shl i64 %one0, %up0
  %open1 = or i64 %open_here, %upbit0
  %one1 = zext i1 %cross1 to i64
  %word1 = lshr i64 %gate1, 6
  %place1 = and i64 %gate1, 63
  %bit1 = shl i64 %one1, %place1
  %m_at1 = getelementptr inbounds i64, ptr %marks, i64 %word1
  %m_old1 = load i64, ptr %m_at1
  %m_new1 = xor i64 %m_old1, %bit1
  store i64 %m_new1, ptr %m_at1
  %up1 = lshr i64 %word1, %coarse
  %upbit1 = shl i64 %one1, %up1
  %open2 = or i64 %open1, %upbit1
  %one2 = zext i1 %cross2 to i64
  %word2 = lshr i64 %gate2, 6
  %place2 = and i64 %gate2, 63
  %bit2 = shl i64 %one2, %place2
  %m_at2 = getelementptr inbounds i64, ptr %marks, i64 %word2
  %m_old2 = load i64, ptr %m_at2
  %m_new2 = xor i64 %m_old2, %bit2
  store i64 %m_new2, ptr %m_at2
  %up2 = lshr i64 %word2, %coarse
  %upbit2 = shl i64 %one2, %up2
  %open3 = or i64 %open2, %upbit2
  %one3 = zext i1 %cross3 to i64
  %word3 = lshr i64 %gate3, 6
  %place3 = and i64 %gate3, 63
  %bit3 = shl i64 %one3, %place3
  %m_at3 = getelementptr inbounds i64, ptr %marks, i64 %word3
  %m_old3 = load i64, ptr %m_at3
  %m_new3 = xor i64 %m_old3, %bit3
  store i64 %m_new3, ptr %m_at3
  %up3 = lshr i64 %word3, %coarse
  %upbit3 = shl i64 %one3, %up3
  %open4 = or i64 %open3, %upbit3
  br label %next
next:
  %open_next = phi i64 [ %open_here, %reader ], [ %open4, %note ]
  %i1 = add i64 %i, 4
  %more = icmp ult i64 %i1, %r_stop
  br i1 %more, label %reader, label %acts
acts:
  %open_end = phi i64 [ %open, %entry ], [ %open_next, %next ]
  %a_some = icmp ult i32 %a_start, %a_stop
  br i1 %a_some, label %act, label %done
act:
  %a = phi i32 [ %a_start, %acts ], [ %a1, %act ]
  %a64 = zext i32 %a to i64
  %aw_at = getelementptr inbounds i32, ptr %act_word, i64 %a64
  %aw = load i32, ptr %aw_at
  %ab_at = getelementptr inbounds i64, ptr %act_bits, i64 %a64
  %ab = load i64, ptr %ab_at
  %aw64 = zext i32 %aw to i64
  %l_at = getelementptr inbounds i64, ptr %legal, i64 %aw64
  %l = load i64, ptr %l_at
  %l1 = xor i64 %l, %ab
  store i64 %l1, ptr %l_at
  %a1 = add i32 %a, 1
  %a_more = icmp ult i32 %a1, %a_stop
  br i1 %a_more, label %act, label %done
done:
  ret i64 %open_end
}

; Make a move: turn the facts that it changes, then the marked gates until there are none.
define void @play(ptr %t, i64 %phase, i64 %move) {
entry:
  %counts = call ptr @pointer(ptr %t, i64 0)
  %nodes = call ptr @pointer(ptr %t, i64 3)
  %readers = call ptr @pointer(ptr %t, i64 4)
  %act_word = call ptr @pointer(ptr %t, i64 6)
  %act_bits = call ptr @pointer(ptr %t, i64 7)
  %first = call ptr @pointer(ptr %t, i64 8)
  %sets = call ptr @pointer(ptr %t, i64 9)
  %marks = call ptr @pointer(ptr %t, i64 11)
  %coarse = call i64 @number(ptr %t, i64 12)
  %changed = call ptr @pointer(ptr %t, i64 13)
  %truths = call ptr @pointer(ptr %t, i64 14)
  %legal = call ptr @pointer(ptr %t, i64 15)
  %moves = call i64 @number(ptr %t, i64 17)
  %row = mul i64 %phase, %moves
  %index = add i64 %row, %move
  %s_at = getelementptr inbounds i32, ptr %first, i64 %index
  %index1 = add i64 %index, 1
  %e_at = getelementptr inbounds i32, ptr %first, i64 %index1
  %start32 = load i32, ptr %s_at
  %stop32 = load i32, ptr %e_at
  %start = zext i32 %start32 to i64
  %stop = zext i32 %stop32 to i64
  %some = icmp ult i64 %start, %stop
  br i1 %some, label %effect, label %done
effect:
  %i0 = phi i64 [ %start, %entry ], [ %i01, %effect ]
  %found = phi i64 [ 0, %entry ], [ %found1, %effect ]
  %f_at = getelementptr inbounds [2 x i32], ptr %sets, i64 %i0
  %set = load i32, ptr %f_at
  %fact32 = lshr i32 %set, 4
  %t_at = getelementptr inbounds i32, ptr %f_at, i64 1
  %edge = load i32, ptr %t_at
  %new = call i1 @holds(ptr %truths, i32 %edge)
  %doubled = shl i32 %fact32, 1
  %old = call i1 @holds(ptr %truths, i32 %doubled)
  %plain_new = zext i1 %new to i32
  %plain_old = zext i1 %old to i32
  %double_new = shl i32 %plain_new, 1
  %case = or i32 %double_new, %plain_old
  %answer = lshr i32 %set, %case
  %differ = and i32 %answer, 1
  %c_at = getelementptr inbounds i32, ptr %changed, i64 %found
  store i32 %fact32, ptr %c_at
  %one = zext i32 %differ to i64
  %found1 = add i64 %found, %one
  %i01 = add i64 %i0, 1
  %more0 = icmp ult i64 %i01, %stop
  br i1 %more0, label %effect, label %facts
facts:
  %any = icmp ne i64 %found1, 0
  br i1 %any, label %fact, label %done
fact:
  %j = phi i64 [ 0, %facts ], [ %j1, %fact ]
  %open = phi i64 [ 0, %facts ], [ %open_then, %fact ]
  %j_at = getelementptr inbounds i32, ptr %changed, i64 %j
  %turned32 = load i32, ptr %j_at
  %turned = zext i32 %turned32 to i64
  %v_at = getelementptr inbounds i8, ptr %truths, i64 %turned
  %v = load i8, ptr %v_at
  %v1 = xor i8 %v, 1
  store i8 %v1, ptr %v_at
  %is_true = trunc i8 %v1 to i1
  %open_then = call i64 @turn(ptr %counts, ptr %nodes, ptr %readers, ptr %act_word,
                              ptr %act_bits, ptr %marks, i64 %coarse, ptr %legal,
                              i64 %turned, i1 %is_true, i64 %open)
  %j1 = add i64 %j, 1
  %j_more = icmp ult i64 %j1, %found1
  br i1 %j_more, label %fact, label %summary
summary:
  %left = phi i64 [ %open_then, %fact ], [ %left_next, %range_done ]
  %none = icmp eq i64 %left, 0
  br i1 %none, label %done, label %range
range:
  %k = call i64 @llvm.cttz.i64(i64 %left, i1 true)
  %w0 = shl i64 %k, %coarse
  %k1 = add i64 %k, 1
  %w_end = shl i64 %k1, %coarse
  br label %word
word:
  %w = phi i64 [ %w0, %range ], [ %w1, %word_done ]
  %open_w = phi i64 [ %left, %range ], [ %open_b, %word_done ]
  %w_at = getelementptr inbounds i64, ptr %marks, i64 %w
  br label %bit
bit:
  %open_b = phi i64 [ %open_w, %word ], [ %open_g, %gate ]
  %bits = load i64, ptr %w_at
  %empty = icmp eq i64 %bits, 0
  br i1 %empty, label %word_done, label %gate
gate:
  %b = call i64 @llvm.cttz.i64(i64 %bits, i1 true)
  %minus = add i64 %bits, -1
  %less = and i64 %bits, %minus
  store i64 %less, ptr %w_at
  %w64 = shl i64 %w, 6
  %node = or i64 %w64, %b
  %count_at = getelementptr inbounds i16, ptr %counts, i64 %node
  %count = load i16, ptr %count_at
  %g_true = icmp eq i16 %count, 0
  %g_truth = zext i1 %g_true to i8
  %g_truth_at = getelementptr inbounds i8, ptr %truths, i64 %node
  store i8 %g_truth, ptr %g_truth_at
  %open_g = call i64 @turn(ptr %counts, ptr %nodes, ptr %readers, ptr %act_word,
                           ptr %act_bits, ptr %marks, i64 %coarse, ptr %legal,
                           i64 %node, i1 %g_true, i64 %open_b)
  br label %bit
word_done:
  %w1 = add i64 %w, 1
  %w_more = icmp ult i64 %w1, %w_end
  br i1 %w_more, label %word, label %range_done
range_done:
  %kbit = shl i64 1, %k
  %knot = xor i64 %kbit, -1
  %left_next = and i64 %open_b, %knot
  br label %summary
done:
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
define internal i64 @draw(ptr %t, i64 %phase) {
entry:
  %legal = call ptr @pointer(ptr %t, i64 15)
  %n = call i64 @number(ptr %t, i64 16)
  %state = call ptr @pointer(ptr %t, i64 26)
  %row = mul i64 %phase, %n
  %base = getelementptr inbounds i64, ptr %legal, i64 %row
  br label %count
count:
  %i = phi i64 [ 0, %entry ], [ %i1, %count ]
  %total = phi i64 [ 0, %entry ], [ %total1, %count ]
  %at = getelementptr inbounds i64, ptr %base, i64 %i
  %word = load i64, ptr %at
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
  ; Without a branch on where the word is: that is random.
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
define void @rollouts(ptr %t, i64 %begin, i64 %n, i64 %limit) {
entry:
  %counts = call ptr @pointer(ptr %t, i64 0)
  %start = call ptr @pointer(ptr %t, i64 1)
  %bytes = call i64 @number(ptr %t, i64 2)
  %phases = call i64 @number(ptr %t, i64 18)
  %ends = call ptr @pointer(ptr %t, i64 19)
  %truths = call ptr @pointer(ptr %t, i64 14)
  %lengths = call ptr @pointer(ptr %t, i64 25)
  %state = call ptr @pointer(ptr %t, i64 26)
  %stuck_at = getelementptr inbounds i64, ptr %state, i64 2
  %cut_at = getelementptr inbounds i64, ptr %state, i64 3
  %nothing = icmp eq i64 %n, 0
  br i1 %nothing, label %done, label %rollout
rollout:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  call void @llvm.memcpy.p0.p0.i64(ptr %counts, ptr %start, i64 %bytes, i1 false)
  br label %look
look:
  %plies = phi i64 [ 0, %rollout ], [ %plies1, %ply ]
  %phase = phi i64 [ %begin, %rollout ], [ %phase2, %ply ]
  %end_at = getelementptr inbounds i32, ptr %ends, i64 %phase
  %end = load i32, ptr %end_at
  %over = call i1 @holds(ptr %truths, i32 %end)
  br i1 %over, label %score, label %on
on:
  %long = icmp uge i64 %plies, %limit
  br i1 %long, label %cut, label %pick
pick:
  %move = call i64 @draw(ptr %t, i64 %phase)
  %none = icmp slt i64 %move, 0
  br i1 %none, label %stuck, label %ply
ply:
  call void @play(ptr %t, i64 %phase, i64 %move)
  %phase1 = add i64 %phase, 1
  %wraps = icmp eq i64 %phase1, %phases
  %phase2 = select i1 %wraps, i64 0, i64 %phase1
  %plies1 = add i64 %plies, 1
  br label %look
score:
  call void @score(ptr %t, i64 %phase)
  %len_at = getelementptr inbounds i64, ptr %lengths, i64 %plies
  br label %tally
stuck:
  br label %tally
cut:
  br label %tally
tally:
  %tally_at = phi ptr [ %len_at, %score ], [ %stuck_at, %stuck ], [ %cut_at, %cut ]
  %old = load i64, ptr %tally_at
  %new = add i64 %old, 1
  store i64 %new, ptr %tally_at
  br label %next
next:
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %n
  br i1 %more, label %rollout, label %done
done:
  ret void
}

; Count the goal vector of the working state.
define internal void @score(ptr %t, i64 %phase) noinline {
entry:
  %truths = call ptr @pointer(ptr %t, i64 14)
  %first = call ptr @pointer(ptr %t, i64 20)
  %edges = call ptr @pointer(ptr %t, i64 21)
  %roles = call i64 @number(ptr %t, i64 22)
  %factors = call ptr @pointer(ptr %t, i64 23)
  %table = call ptr @pointer(ptr %t, i64 24)
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
  %true = call i1 @holds(ptr %truths, i32 %edge)
  %offset = sub i64 %i, %s
  %number = add i64 %offset, 1
  %which1 = select i1 %true, i64 %number, i64 %which
  %one = zext i1 %true to i64
  %many1 = add i64 %many, %one
  %i1 = add i64 %i, 1
  br label %goal
role_end:
  %single = icmp eq i64 %many, 1
  %value = select i1 %single, i64 %which, i64 0
  %factor_at = getelementptr inbounds i64, ptr %factors, i64 %r
  %factor = load i64, ptr %factor_at
  %part = mul i64 %value, %factor
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

!0 = !{}
