; Which facts a move turns, sixteen effects at a time. The truths of all nodes are in two
; registers, where there are few enough; from there each effect takes the word of its edge and that
; of its fact. Some moves have many effects (a rotation of Pentago 17), most of which turn nothing.

declare <16 x i32> @llvm.x86.avx512.vpermi2var.d.512(<16 x i32>, <16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.x86.avx512.mask.compress.v16i32(<16 x i32>, <16 x i32>, <16 x i1>)
declare i16 @llvm.ctpop.i16(i16)

define internal i64 @find_changes(ptr %t, i64 %start, i64 %stop) alwaysinline {
entry:
  %words = call @tables.truth_words(ptr %t)
  %fits = icmp ule i64 %words, 16
  %effects = sub i64 %stop, %start
  %are_many = icmp ugt i64 %effects, 4
  %is_worth = and i1 %fits, %are_many
  br i1 %is_worth, label %many, label %few
few:
  %found_few = call i64 @find_few(ptr %t, i64 %start, i64 %stop)
  br label %done
many:
  %sets = call @tables.effect_facts(ptr %t)
  %edges = call @tables.effect_edges(ptr %t)
  %truths = call @tables.truths(ptr %t)
  %changed = call @tables.changed(ptr %t)
  %truths_high = getelementptr inbounds i8, ptr %truths, i64 64
  %low = load <16 x i32>, ptr %truths, align 8
  %high = load <16 x i32>, ptr %truths_high, align 8
  br label %sixteen
sixteen:
  %i = phi i64 [ %start, %many ], [ %i1, %sixteen ]
  %found = phi i64 [ 0, %many ], [ %found1, %sixteen ]
  %set_at = getelementptr inbounds i32, ptr %sets, i64 %i
  %edge_at = getelementptr inbounds i32, ptr %edges, i64 %i
  %set = load <16 x i32>, ptr %set_at, align 4
  %edge = load <16 x i32>, ptr %edge_at, align 4
  %edge_word = lshr <16 x i32> %edge, splat (i32 6)
  %edge_word_now = call <16 x i32> @llvm.x86.avx512.vpermi2var.d.512(
      <16 x i32> %low, <16 x i32> %edge_word, <16 x i32> %high)
  %edge_node = lshr <16 x i32> %edge, splat (i32 1)
  %edge_place = and <16 x i32> %edge_node, splat (i32 31)
  %edge_bit = lshr <16 x i32> %edge_word_now, %edge_place
  %edge_now = xor <16 x i32> %edge_bit, %edge
  %new = and <16 x i32> %edge_now, splat (i32 1)
  %fact = lshr <16 x i32> %set, splat (i32 4)
  %fact_word = lshr <16 x i32> %set, splat (i32 9)
  %fact_word_now = call <16 x i32> @llvm.x86.avx512.vpermi2var.d.512(
      <16 x i32> %low, <16 x i32> %fact_word, <16 x i32> %high)
  %fact_place = and <16 x i32> %fact, splat (i32 31)
  %fact_bit = lshr <16 x i32> %fact_word_now, %fact_place
  %old = and <16 x i32> %fact_bit, splat (i32 1)
  %double_new = shl <16 x i32> %new, splat (i32 1)
  %case = or <16 x i32> %double_new, %old
  %answers = lshr <16 x i32> %set, %case
  %answer = trunc <16 x i32> %answers to <16 x i1>
  %left = sub i64 %stop, %i
  %left32 = trunc i64 %left to i32
  %left_one = insertelement <16 x i32> poison, i32 %left32, i64 0
  %left_all = shufflevector <16 x i32> %left_one, <16 x i32> poison, <16 x i32> zeroinitializer
  %is_within = icmp ult <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8,
      i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %left_all
  %turns = and <16 x i1> %answer, %is_within
  %facts = call <16 x i32> @llvm.x86.avx512.mask.compress.v16i32(
      <16 x i32> %fact, <16 x i32> zeroinitializer, <16 x i1> %turns)
  %to = getelementptr inbounds i32, ptr %changed, i64 %found
  store <16 x i32> %facts, ptr %to, align 4
  %bits = bitcast <16 x i1> %turns to i16
  %ones16 = call i16 @llvm.ctpop.i16(i16 %bits)
  %ones = zext i16 %ones16 to i64
  %found1 = add i64 %found, %ones
  %i1 = add i64 %i, 16
  %more = icmp ult i64 %i1, %stop
  br i1 %more, label %sixteen, label %done
done:
  %count = phi i64 [ %found_few, %few ], [ %found1, %sixteen ]
  ret i64 %count
}
