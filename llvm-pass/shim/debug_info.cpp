// Debug information: variables, types, scopes.
#include "declarations.h"
#include "text.h"
#include "llvm-c/Core.h"
#include "llvm-c/DebugInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {
LLVMMetadataRef meta(const Metadata *node) { return wrap(const_cast<Metadata *>(node)); }

template <typename T> const T *node(LLVMMetadataRef reference) {
  return reference ? dyn_cast<T>(unwrap(reference)) : nullptr;
}
} // namespace

extern "C" {
LLVMMetadataRef suspect_variable_of(LLVMValueRef storage) {
  Value *address = unwrap(storage);
  if (auto *global = dyn_cast<GlobalVariable>(address)) {
    SmallVector<DIGlobalVariableExpression *, 1> expressions;
    global->getDebugInfo(expressions);
    return expressions.empty() ? nullptr : meta(expressions[0]->getVariable());
  }
#if LLVM_VERSION_MAJOR >= 19
  for (DbgVariableRecord *record : findDVRDeclares(address))
    return meta(record->getVariable());
  for (DbgDeclareInst *declare : findDbgDeclares(address))
    return meta(declare->getVariable());
#else
  for (DbgVariableIntrinsic *declare : FindDbgAddrUses(address))
    return meta(declare->getVariable());
#endif
  auto *instruction = dyn_cast<Instruction>(address);
  if (!instruction)
    return nullptr;
#if LLVM_VERSION_MAJOR >= 19
  for (DbgVariableRecord *record : at::getDVRAssignmentMarkers(instruction))
    return meta(record->getVariable());
#endif
  for (DbgAssignIntrinsic *assign : at::getAssignmentMarkers(instruction))
    return meta(assign->getVariable());
  return nullptr;
}

const char *suspect_di_name(LLVMMetadataRef reference, size_t *length) {
  if (auto *variable = node<DIVariable>(reference))
    return text(variable->getName(), length);
  if (auto *type = node<DIType>(reference))
    return text(type->getName(), length);
  if (auto *program = node<DISubprogram>(reference))
    return text(program->getName(), length);
  if (auto *unit = node<DICompileUnit>(reference))
    return text(unit->getProducer(), length);
  *length = 0;
  return "";
}

LLVMMetadataRef suspect_di_type(LLVMMetadataRef reference) {
  if (auto *variable = node<DIVariable>(reference))
    return meta(variable->getType());
  if (auto *type = node<DIDerivedType>(reference))
    return meta(type->getBaseType());
  if (auto *type = node<DICompositeType>(reference))
    return meta(type->getBaseType());
  return nullptr;
}

bool suspect_di_artificial(LLVMMetadataRef reference) {
  auto *local = node<DILocalVariable>(reference);
  return local && local->isArtificial();
}

unsigned suspect_di_argument(LLVMMetadataRef reference) {
  auto *local = node<DILocalVariable>(reference);
  return local ? local->getArg() : 0;
}

unsigned suspect_di_tag(LLVMMetadataRef reference) {
  auto *type = node<DINode>(reference);
  return type ? type->getTag() : 0;
}

unsigned suspect_di_encoding(LLVMMetadataRef reference) {
  auto *type = node<DIBasicType>(reference);
  return type ? type->getEncoding() : 0;
}

bool suspect_di_bit_field(LLVMMetadataRef reference) {
  auto *member = node<DIDerivedType>(reference);
  return member && member->isBitField();
}

size_t suspect_di_elements(LLVMMetadataRef reference) {
  if (auto *type = node<DICompositeType>(reference))
    return type->getElements().size();
  if (auto *type = node<DISubroutineType>(reference))
    return type->getTypeArray().size();
  return 0;
}

LLVMMetadataRef suspect_di_element(LLVMMetadataRef reference, size_t index) {
  if (auto *type = node<DICompositeType>(reference))
    return meta(type->getElements()[index]);
  if (auto *type = node<DISubroutineType>(reference))
    return meta(type->getTypeArray()[index]);
  return nullptr;
}

int64_t suspect_di_count(LLVMMetadataRef reference) {
  if (auto *range = node<DISubrange>(reference))
    if (auto *constant = dyn_cast_if_present<ConstantInt *>(range->getCount()))
      return constant->getSExtValue();
  return -1;
}

LLVMMetadataRef suspect_di_subroutine(LLVMMetadataRef subprogram) {
  auto *program = node<DISubprogram>(subprogram);
  return program ? meta(program->getType()) : nullptr;
}

LLVMMetadataRef suspect_di_parent(LLVMMetadataRef reference) {
  auto *block = node<DILexicalBlockBase>(reference);
  return block ? meta(block->getScope()) : nullptr;
}

bool suspect_di_is_local(LLVMMetadataRef reference) { return node<DILocalScope>(reference) != nullptr; }

LLVMMetadataRef suspect_compile_unit(LLVMModuleRef module) {
  for (DICompileUnit *unit : unwrap(module)->debug_compile_units())
    return meta(unit);
  return nullptr;
}
}
