# What stands in place of the vDSO's clock functions in an unmodified program (x86-64): they read a page that it shares
# with us. Assembled, these are the bytes CODE of clockpage.py; a test compares them.
.set PAGE, 0x7e0000000000

gettime:                        # int clock_gettime(clockid_t, struct timespec *)
  lea -2(%rdi), %eax            # clocks 2 and 3 count CPU time, and so do all with negative numbers: they stay real
  cmp $1, %eax
  jbe 1f
  test %edi, %edi
  js 1f
  movabs $PAGE, %rax
  mov $1, %ecx
  lock xadd %rcx, (%rax)        # each look moves the clock by 1 ns, so that stamps keep their order
  mov %rcx, %rax
  xor %edx, %edx
  mov $1000000000, %ecx
  div %rcx
  mov %rax, (%rsi)
  mov %rdx, 8(%rsi)
  xor %eax, %eax
  ret
1:
  mov $228, %eax
  syscall
  ret

timeofday:                      # int gettimeofday(struct timeval *, void *)
  test %rdi, %rdi
  je 2f
  movabs $PAGE, %rax
  mov (%rax), %rax
  xor %edx, %edx
  mov $1000, %ecx
  div %rcx
  xor %edx, %edx
  mov $1000000, %ecx
  div %rcx
  mov %rax, (%rdi)
  mov %rdx, 8(%rdi)
2:
  xor %eax, %eax
  ret

seconds:                        # time_t time(time_t *)
  movabs $PAGE, %rax
  mov (%rax), %rax
  xor %edx, %edx
  mov $1000000000, %ecx
  div %rcx
  test %rdi, %rdi
  je 3f
  mov %rax, (%rdi)
3:
  ret
