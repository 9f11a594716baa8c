;; Reads events that repeat one another, sixteen bytes at a time; scan-events.ts says why, and holds what is assembled from this.
;; The memory: what comes of it in the first bytes, closers of what is open in 17 to 216, meanings of signs from 256 on, and then the
;; places that scan-events.ts gives.
(module
  (memory (export "memory") 3)

  ;; What a sign behind a backslash means; zero for those that mean nothing alone.
  (data (i32.const 290) "\22") ;; "
  (data (i32.const 303) "\2f") ;; /
  (data (i32.const 348) "\5c") ;; \
  (data (i32.const 354) "\08") ;; b
  (data (i32.const 358) "\0c") ;; f
  (data (i32.const 366) "\0a") ;; n
  (data (i32.const 370) "\0d") ;; r
  (data (i32.const 372) "\09") ;; t

  ;; Gives the place behind the last event that is whole, 0 for none. The first word of the memory is then the place behind what
  ;; the events say, and the second that behind the places at which the texts end.
  (func (export "scan")
    (param $at i32)      ;; where the text of the first event begins
    (param $end i32)     ;; behind the last byte, where a zero has to stand
    (param $between i32) ;; what stands between two texts
    (param $step i32)    ;; how long that is, sixteen at least
    (param $tail i32)    ;; how much of it ends an event
    (param $out i32)     ;; where texts are written
    (param $base i32)    ;; from where the ends of texts are counted
    (param $ends i32)    ;; where those are written
    (result i32)
    (local $bytes v128) (local $signs i32) (local $code i32) (local $behind i32) (local $said i32) (local $i i32)
    (local $last i32) (local $difference v128)
    (local.set $said (local.get $out))
    (local.set $last (i32.sub (local.get $step) (i32.const 16)))
    (block $stop
      (loop $event
        (block $quote
          (loop $text
            (local.set $bytes (v128.load (local.get $at)))
            (v128.store (local.get $out) (local.get $bytes)) ;; also what is none of the text, and will be overwritten
            (local.set $signs
              (i8x16.bitmask
                (v128.or
                  (v128.or
                    (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 34)))
                    (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 92))))
                  (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 32))))))
            (if (i32.eqz (local.get $signs))
              (then
                (local.set $at (i32.add (local.get $at) (i32.const 16)))
                (local.set $out (i32.add (local.get $out) (i32.const 16)))
                (br $text)))
            (local.set $signs (i32.ctz (local.get $signs)))
            (local.set $at (i32.add (local.get $at) (local.get $signs)))
            (local.set $out (i32.add (local.get $out) (local.get $signs)))
            (local.set $code (i32.load8_u (local.get $at)))
            (br_if $quote (i32.eq (local.get $code) (i32.const 34)))
            (br_if $stop (i32.ne (local.get $code) (i32.const 92)))
            (local.set $code (i32.load8_u offset=256 (i32.load8_u offset=1 (local.get $at))))
            (br_if $stop (i32.eqz (local.get $code))) ;; also for a character that is written as four digits
            (i32.store8 (local.get $out) (local.get $code))
            (local.set $at (i32.add (local.get $at) (i32.const 2)))
            (local.set $out (i32.add (local.get $out) (i32.const 1)))
            (br $text)))
        ;; A whole event has its end behind the quote, and nearly always the beginning of the next one too.
        (br_if $stop (i32.gt_u (i32.add (local.get $at) (local.get $tail)) (local.get $end)))
        (block $isLast
          (br_if $isLast (i32.gt_u (i32.add (local.get $at) (local.get $step)) (local.get $end)))
          (local.set $difference
            (v128.xor
              (v128.load (i32.add (local.get $at) (local.get $last)))
              (v128.load (i32.add (local.get $between) (local.get $last)))))
          (local.set $i (i32.const 0))
          (loop $words
            (local.set $difference
              (v128.or
                (local.get $difference)
                (v128.xor
                  (v128.load (i32.add (local.get $at) (local.get $i)))
                  (v128.load (i32.add (local.get $between) (local.get $i))))))
            (local.set $i (i32.add (local.get $i) (i32.const 16)))
            (br_if $words (i32.lt_u (local.get $i) (local.get $last))))
          (br_if $isLast (v128.any_true (local.get $difference)))
          (i32.store (local.get $ends) (i32.sub (local.get $out) (local.get $base)))
          (local.set $ends (i32.add (local.get $ends) (i32.const 4)))
          (local.set $said (local.get $out))
          (local.set $behind (i32.add (local.get $at) (local.get $tail)))
          (local.set $at (i32.add (local.get $at) (local.get $step)))
          (br $event))
        (local.set $i (i32.const 0))
        (loop $signs
          (br_if $stop
            (i32.ne
              (i32.load8_u (i32.add (local.get $at) (local.get $i)))
              (i32.load8_u (i32.add (local.get $between) (local.get $i)))))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br_if $signs (i32.lt_u (local.get $i) (local.get $tail))))
        (i32.store (local.get $ends) (i32.sub (local.get $out) (local.get $base)))
        (local.set $ends (i32.add (local.get $ends) (i32.const 4)))
        (local.set $said (local.get $out))
        (local.set $behind (i32.add (local.get $at) (local.get $tail)))))
    (i32.store (i32.const 0) (local.get $said))
    (i32.store (i32.const 4) (local.get $ends))
    (local.get $behind))

  ;; Gives 1 for the text of a JSON object, and 0 for any other, and for one that is nested too deep to be followed here.
  (func (export "isObject")
    (param $at i32)  ;; where it begins
    (param $end i32) ;; behind its last byte, where a zero has to stand
    (result i32)
    (local $code i32) (local $depth i32) (local $closer i32) (local $signs i32) (local $bytes v128)
    ;; What may come: a value (0), what follows one (1), the first key of an object (2), another key (3), the first item of a list (4).
    (local $place i32)
    (block $broken
      (loop $next
        (loop $blank
          (local.set $code (i32.load8_u (local.get $at)))
          (if (i32.or
                (i32.or (i32.eq (local.get $code) (i32.const 32)) (i32.eq (local.get $code) (i32.const 10)))
                (i32.or (i32.eq (local.get $code) (i32.const 13)) (i32.eq (local.get $code) (i32.const 9))))
            (then
              (local.set $at (i32.add (local.get $at) (i32.const 1)))
              (br $blank))))
        (if (i32.eqz (local.get $depth))
          (then
            (if (i32.eq (local.get $place) (i32.const 1))
              (then (return (i32.eq (local.get $at) (local.get $end)))))
            (br_if $broken (i32.ne (local.get $code) (i32.const 123)))))
        (block $close
          (if (i32.eq (local.get $place) (i32.const 1))
            (then
              (br_if $close (i32.eq (local.get $code) (local.get $closer)))
              (br_if $broken (i32.ne (local.get $code) (i32.const 44))) ;; a comma
              (local.set $place (select (i32.const 3) (i32.const 0) (i32.eq (local.get $closer) (i32.const 125))))
              (local.set $at (i32.add (local.get $at) (i32.const 1)))
              (br $next)))
          (if (i32.eq (local.get $code) (i32.const 34))
            (then
              (local.set $at (i32.add (local.get $at) (i32.const 1)))
              (block $quote
                (loop $text
                  (local.set $bytes (v128.load (local.get $at)))
                  (local.set $signs
                    (i8x16.bitmask
                      (v128.or
                        (v128.or
                          (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 34)))
                          (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 92))))
                        (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 32))))))
                  (if (i32.eqz (local.get $signs))
                    (then
                      (local.set $at (i32.add (local.get $at) (i32.const 16)))
                      (br $text)))
                  (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $signs))))
                  (local.set $code (i32.load8_u (local.get $at)))
                  (br_if $quote (i32.eq (local.get $code) (i32.const 34)))
                  (br_if $broken (i32.ne (local.get $code) (i32.const 92)))
                  (local.set $code (i32.load8_u offset=1 (local.get $at)))
                  (local.set $at (i32.add (local.get $at) (i32.const 2)))
                  (br_if $text (i32.load8_u offset=256 (local.get $code)))
                  (br_if $broken (i32.ne (local.get $code) (i32.const 117))) ;; four digits follow a u
                  (local.set $signs (i32.const 4))
                  (loop $digit
                    (local.set $code (i32.load8_u (local.get $at)))
                    (br_if $broken
                      (i32.and
                        (i32.ge_u (i32.sub (local.get $code) (i32.const 48)) (i32.const 10))
                        (i32.ge_u (i32.sub (i32.or (local.get $code) (i32.const 32)) (i32.const 97)) (i32.const 6))))
                    (local.set $at (i32.add (local.get $at) (i32.const 1)))
                    (local.set $signs (i32.sub (local.get $signs) (i32.const 1)))
                    (br_if $digit (local.get $signs)))
                  (br $text)))
              (local.set $at (i32.add (local.get $at) (i32.const 1)))
              (if (i32.eq (i32.and (local.get $place) (i32.const 6)) (i32.const 2))
                (then ;; it was a key
                  (loop $blank
                    (local.set $code (i32.load8_u (local.get $at)))
                    (local.set $at (i32.add (local.get $at) (i32.const 1)))
                    (br_if $blank
                      (i32.or
                        (i32.or (i32.eq (local.get $code) (i32.const 32)) (i32.eq (local.get $code) (i32.const 10)))
                        (i32.or (i32.eq (local.get $code) (i32.const 13)) (i32.eq (local.get $code) (i32.const 9))))))
                  (br_if $broken (i32.ne (local.get $code) (i32.const 58))) ;; a colon
                  (local.set $place (i32.const 0)))
                (else (local.set $place (i32.const 1))))
              (br $next)))
          (br_if $broken (i32.eq (local.get $place) (i32.const 3)))
          (if (i32.eq (local.get $place) (i32.const 2))
            (then
              (br_if $close (i32.eq (local.get $code) (i32.const 125)))
              (br $broken)))
          (br_if $close
            (i32.and (i32.eq (local.get $place) (i32.const 4)) (i32.eq (local.get $code) (i32.const 93))))
          ;; Braces and brackets differ from their closers, and those from each other, in the same way.
          (if (i32.eq (i32.or (local.get $code) (i32.const 32)) (i32.const 123))
            (then
              (br_if $broken (i32.eq (local.get $depth) (i32.const 200)))
              (local.set $closer (i32.add (local.get $code) (i32.const 2)))
              (local.set $depth (i32.add (local.get $depth) (i32.const 1)))
              (i32.store8 offset=16 (local.get $depth) (local.get $closer))
              (local.set $place (select (i32.const 2) (i32.const 4) (i32.eq (local.get $code) (i32.const 123))))
              (local.set $at (i32.add (local.get $at) (i32.const 1)))
              (br $next)))
          (local.set $place (i32.const 1))
          (local.set $signs (i32.load (local.get $at)))
          (if (i32.or (i32.eq (local.get $signs) (i32.const 0x65757274)) (i32.eq (local.get $signs) (i32.const 0x6c6c756e)))
            (then ;; true, null
              (local.set $at (i32.add (local.get $at) (i32.const 4)))
              (br $next)))
          (if (i32.and
                (i32.eq (local.get $signs) (i32.const 0x736c6166))
                (i32.eq (i32.load8_u offset=4 (local.get $at)) (i32.const 101)))
            (then ;; false
              (local.set $at (i32.add (local.get $at) (i32.const 5)))
              (br $next)))
          (if (i32.eq (local.get $code) (i32.const 45))
            (then
              (local.set $at (i32.add (local.get $at) (i32.const 1)))
              (local.set $code (i32.load8_u (local.get $at)))))
          (br_if $broken (i32.ge_u (i32.sub (local.get $code) (i32.const 48)) (i32.const 10)))
          (local.set $at (call $digits (local.get $at) (i32.eq (local.get $code) (i32.const 48))))
          (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 46))
            (then
              (local.set $at (i32.add (local.get $at) (i32.const 1)))
              (local.set $code (i32.load8_u (local.get $at)))
              (br_if $broken (i32.ge_u (i32.sub (local.get $code) (i32.const 48)) (i32.const 10)))
              (local.set $at (call $digits (local.get $at) (i32.const 0)))))
          (if (i32.eq (i32.or (i32.load8_u (local.get $at)) (i32.const 32)) (i32.const 101))
            (then
              (local.set $at (i32.add (local.get $at) (i32.const 1)))
              (local.set $code (i32.load8_u (local.get $at)))
              (if (i32.or (i32.eq (local.get $code) (i32.const 43)) (i32.eq (local.get $code) (i32.const 45)))
                (then
                  (local.set $at (i32.add (local.get $at) (i32.const 1)))
                  (local.set $code (i32.load8_u (local.get $at)))))
              (br_if $broken (i32.ge_u (i32.sub (local.get $code) (i32.const 48)) (i32.const 10)))
              (local.set $at (call $digits (local.get $at) (i32.const 0)))))
          (br $next))
        ;; An object or a list is over, and so is a value of the one around it.
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $depth (i32.sub (local.get $depth) (i32.const 1)))
        (local.set $closer (i32.load8_u offset=16 (local.get $depth)))
        (local.set $place (i32.const 1))
        (br $next)))
    (i32.const 0))

  ;; Gives the place behind digits, of which the first is known to be one; behind a zero that begins a number, there is no other.
  (func $digits (param $at i32) (param $isZero i32) (result i32)
    (loop $digit
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $digit
        (i32.and
          (i32.eqz (local.get $isZero))
          (i32.lt_u (i32.sub (i32.load8_u (local.get $at)) (i32.const 48)) (i32.const 10)))))
    (local.get $at)))
