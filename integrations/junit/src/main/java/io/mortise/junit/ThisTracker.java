package io.mortise.junit;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Follows through the code of a method which places of the operand stack and which variables are
 * {@code this}, or the {@code this} around an inner class. Where two ways meet, either counts.
 */
abstract class ThisTracker extends MethodVisitor {
  /** The places of the stack that are {@code this}. Those from {@code depth} on are clear. */
  private BitSet stack = new BitSet();

  private int depth;
  private boolean reachable = true;
  private final BitSet variables = new BitSet();
  private final Map<Label, State> targets = new HashMap<>();

  /** The stack where a jump arrives. */
  private record State(BitSet stack, int depth) {}

  /**
   * @param hasThis whether the first variable is {@code this}
   * @param hasOuter whether the second one is the {@code this} around an inner class
   */
  ThisTracker(boolean hasThis, boolean hasOuter) {
    super(SpringAsmInfo.ASM_VERSION);
    variables.set(0, hasThis);
    variables.set(1, hasOuter);
  }

  /** A method is called on {@code this}, or a reference to it is made. */
  abstract void calledOnThis(int opcode, String owner, String name, String descriptor);

  private void push(int places) {
    depth += places;
  }

  private void push(boolean isThis) {
    stack.set(depth++, isThis);
  }

  private void pop(int places) {
    depth = Math.max(0, depth - places);
    stack.clear(depth, Math.max(depth, stack.length()));
  }

  /** Whether the place is {@code this}; 1 is the top. */
  private boolean isThis(int fromTop) {
    return fromTop <= depth && stack.get(depth - fromTop);
  }

  /** Repeats the upper places below those that are under them. */
  private void repeat(int upper, int under) {
    boolean[] places = new boolean[upper + under];
    for (int i = 0; i < places.length; i++) {
      places[i] = isThis(places.length - i);
    }
    pop(places.length);
    for (boolean each : Arrays.copyOfRange(places, under, places.length)) {
      push(each);
    }
    for (boolean each : places) {
      push(each);
    }
  }

  @Override
  public void visitInsn(int opcode) {
    switch (opcode) {
      case Opcodes.DUP -> repeat(1, 0);
      case Opcodes.DUP_X1 -> repeat(1, 1);
      case Opcodes.DUP_X2 -> repeat(1, 2);
      case Opcodes.DUP2 -> repeat(2, 0);
      case Opcodes.DUP2_X1 -> repeat(2, 1);
      case Opcodes.DUP2_X2 -> repeat(2, 2);
      case Opcodes.SWAP -> {
        repeat(1, 1);
        pop(1);
      }
      default -> {
        int change = StackChange.of(opcode);
        if (change < 0) {
          pop(-change);
        } else {
          push(change);
        }
        reachable &= !StackChange.leaves(opcode);
      }
    }
  }

  @Override
  public void visitVarInsn(int opcode, int variable) {
    switch (opcode) {
      case Opcodes.ALOAD -> push(variables.get(variable));
      case Opcodes.ILOAD, Opcodes.FLOAD -> push(1);
      case Opcodes.LLOAD, Opcodes.DLOAD -> push(2);
      case Opcodes.LSTORE, Opcodes.DSTORE -> {
        variables.clear(variable, variable + 2);
        pop(2);
      }
      default -> {
        variables.set(variable, opcode == Opcodes.ASTORE && isThis(1));
        pop(1);
      }
    }
  }

  @Override
  public void visitIntInsn(int opcode, int operand) {
    push(opcode == Opcodes.NEWARRAY ? 0 : 1);
  }

  @Override
  public void visitLdcInsn(Object value) {
    push(value instanceof Long || value instanceof Double ? 2 : 1);
  }

  @Override
  public void visitTypeInsn(int opcode, String type) {
    if (opcode == Opcodes.NEW) {
      push(1);
    } else if (opcode == Opcodes.INSTANCEOF) {
      pop(1);
      push(1);
    }
  }

  @Override
  public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
    pop(dimensions);
    push(1);
  }

  @Override
  public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
    int size = Type.getType(descriptor).getSize();
    switch (opcode) {
      case Opcodes.GETSTATIC -> push(size);
      case Opcodes.PUTSTATIC -> pop(size);
      case Opcodes.PUTFIELD -> pop(size + 1);
      default -> {
        boolean isOuter = isThis(1) && name.startsWith("this$");
        pop(1);
        push(isOuter);
        push(size - 1);
      }
    }
  }

  @Override
  public void visitMethodInsn(
      int opcode, String owner, String name, String descriptor, boolean isInterface) {
    int sizes = Type.getArgumentsAndReturnSizes(descriptor); // counts the receiver
    int arguments = sizes >> 2;
    if (opcode == Opcodes.INVOKESTATIC) {
      arguments--;
    } else if (isThis(arguments)) {
      calledOnThis(opcode, owner, name, descriptor);
    }
    pop(arguments);
    push(sizes & 3);
  }

  /** A lambda is a method of the class. A method reference names the method. */
  @Override
  public void visitInvokeDynamicInsn(
      String name, String descriptor, Handle bootstrap, Object... constants) {
    int sizes = Type.getArgumentsAndReturnSizes(descriptor);
    int arguments = (sizes >> 2) - 1;
    for (Object each : constants) {
      if (arguments > 0 && isThis(arguments) && each instanceof Handle method) {
        calledOnThis(Opcodes.INVOKEDYNAMIC, method.getOwner(), method.getName(), method.getDesc());
      }
    }
    pop(arguments);
    push(sizes & 3);
  }

  @Override
  public void visitJumpInsn(int opcode, Label label) {
    pop(StackChange.operandsOfJump(opcode));
    arriveAt(label);
    reachable &= opcode != Opcodes.GOTO;
  }

  @Override
  public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... labels) {
    visitSwitch(otherwise, labels);
  }

  @Override
  public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
    visitSwitch(otherwise, labels);
  }

  private void visitSwitch(Label otherwise, Label[] labels) {
    pop(1);
    arriveAt(otherwise);
    for (Label each : labels) {
      arriveAt(each);
    }
    reachable = false;
  }

  @Override
  public void visitTryCatchBlock(Label start, Label end, Label handler, @Nullable String type) {
    targets.put(handler, new State(new BitSet(), 1));
  }

  private void arriveAt(Label label) {
    State known = targets.putIfAbsent(label, new State((BitSet) stack.clone(), depth));
    if (known != null) {
      known.stack().or(stack);
    }
  }

  @Override
  public void visitLabel(Label label) {
    State arrived = targets.get(label);
    if (arrived != null && reachable) {
      stack.or(arrived.stack());
    } else if (arrived != null) {
      stack = (BitSet) arrived.stack().clone();
      depth = arrived.depth();
      reachable = true;
    }
  }
}
