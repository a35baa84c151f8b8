package io.mortise.junit;

import org.springframework.asm.Opcodes;

/** By how many places an instruction without operands of its own changes the operand stack. */
final class StackChange {
  private StackChange() {}

  /** Places that are added; negative if some are removed. The copying ones are not known here. */
  static int of(int opcode) {
    if (opcode >= Opcodes.ACONST_NULL && opcode <= Opcodes.DCONST_1) {
      return isLongConstant(opcode) ? 2 : 1;
    }
    if (opcode >= Opcodes.IADD && opcode <= Opcodes.LXOR) {
      return arithmetic(opcode);
    }
    return switch (opcode) {
      case Opcodes.I2L, Opcodes.I2D, Opcodes.F2L, Opcodes.F2D -> 1;
      case Opcodes.IALOAD,
          Opcodes.FALOAD,
          Opcodes.AALOAD,
          Opcodes.BALOAD,
          Opcodes.CALOAD,
          Opcodes.SALOAD,
          Opcodes.POP,
          Opcodes.L2I,
          Opcodes.L2F,
          Opcodes.D2I,
          Opcodes.D2F,
          Opcodes.FCMPL,
          Opcodes.FCMPG,
          Opcodes.MONITORENTER,
          Opcodes.MONITOREXIT ->
          -1;
      case Opcodes.POP2 -> -2;
      case Opcodes.IASTORE,
          Opcodes.FASTORE,
          Opcodes.AASTORE,
          Opcodes.BASTORE,
          Opcodes.CASTORE,
          Opcodes.SASTORE,
          Opcodes.LCMP,
          Opcodes.DCMPL,
          Opcodes.DCMPG ->
          -3;
      case Opcodes.LASTORE, Opcodes.DASTORE -> -4;
      default -> 0;
    };
  }

  private static boolean isLongConstant(int opcode) {
    return opcode == Opcodes.LCONST_0
        || opcode == Opcodes.LCONST_1
        || opcode == Opcodes.DCONST_0
        || opcode == Opcodes.DCONST_1;
  }

  /** They come in groups of int, long, float and double. A shift takes an int. */
  private static int arithmetic(int opcode) {
    if (opcode >= Opcodes.INEG && opcode <= Opcodes.DNEG) {
      return 0;
    }
    if (opcode >= Opcodes.ISHL && opcode <= Opcodes.LUSHR) {
      return -1;
    }
    return (opcode - Opcodes.IADD) % 2 == 0 ? -1 : -2;
  }

  /** Whether the next instruction is not reached from here. */
  static boolean leaves(int opcode) {
    return opcode == Opcodes.ATHROW || (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN);
  }

  /** Places that a jump removes. */
  static int operandsOfJump(int opcode) {
    if (opcode >= Opcodes.IF_ICMPEQ && opcode <= Opcodes.IF_ACMPNE) {
      return 2;
    }
    return opcode == Opcodes.GOTO ? 0 : 1;
  }
}
