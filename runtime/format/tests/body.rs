//! What is encoded of a body table reads back the same, and no bytes make a reader panic.

use proptest::prelude::*;
use suspect_format::body::*;
use suspect_format::site::{Bad, Cursor, Place, Sink, ValueClass};

#[derive(Default)]
struct Bytes(Vec<u8>);

impl Sink for Bytes {
    fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

fn types() -> impl Strategy<Value = Type> {
    prop_oneof![(1u8..=64).prop_map(Type::Integer), Just(Type::Pointer), Just(Type::Float), Just(Type::Double)]
}

fn data() -> impl Strategy<Value = Datum> {
    prop_oneof![types().prop_map(Datum::Value), any::<u32>().prop_map(Datum::Bytes)]
}

fn tokens() -> impl Strategy<Value = Token> {
    prop_oneof![
        (types(), any::<u64>()).prop_map(|(of, bits)| Token::Constant(of, bits)),
        (any::<u32>(), any::<i64>()).prop_map(|(symbol, offset)| Token::Symbol(symbol, offset)),
        any::<i64>().prop_map(Token::Frame),
        (types(), any::<Option<u16>>()).prop_map(|(of, slot)| Token::Load(of, slot)),
        (any::<i64>(), 0u32..9).prop_map(|(offset, n_terms)| Token::Address { offset, n_terms }),
        (prop::sample::select(Binary::ALL), types()).prop_map(|(operator, of)| Token::Binary(operator, of)),
        (prop::sample::select(Compare::ALL), types()).prop_map(|(operator, of)| Token::Compare(operator, of)),
        (prop::sample::select(Cast::ALL), types(), types()).prop_map(|(cast, from, to)| Token::Cast { cast, from, to }),
        types().prop_map(Token::Select),
        (prop::sample::select(Builtin::ALL), types()).prop_map(|(function, of)| Token::Apply(function, of)),
        (types(), any::<u16>(), 0u32..9).prop_map(|(of, slot, n_operands)| Token::Opaque { of, slot, n_operands }),
    ]
}

fn callees() -> impl Strategy<Value = Callee> {
    prop_oneof![
        any::<u32>().prop_map(Callee::Version),
        any::<u32>().prop_map(Callee::Symbol),
        Just(Callee::Indirect),
        Just(Callee::Assembly),
        any::<u32>().prop_map(Callee::Setjmp),
    ]
}

fn steps() -> impl Strategy<Value = Step> {
    let action = prop_oneof![
        types().prop_map(Action::Store),
        Just(Action::Copy),
        Just(Action::Fill),
        (callees(), any::<u32>(), prop::option::of((data(), any::<u64>())), any::<bool>())
            .prop_map(|(callee, n_arguments, result, stops)| Action::Call { callee, n_arguments, result, stops }),
        any::<(u32, u32)>().prop_map(|(then, otherwise)| Action::Branch { then, otherwise }),
        (types(), any::<u32>(), any::<u32>()).prop_map(|(of, default, n_cases)| Action::Switch {
            of,
            default,
            n_cases
        }),
        any::<u32>().prop_map(Action::Jump),
        prop::option::of(data()).prop_map(Action::Return),
        Just(Action::Unreachable),
        any::<(u64, u16)>().prop_map(|(offset, slot)| Action::Dynamic { offset, slot }),
    ];
    (any::<(u32, u32, u32)>(), action)
        .prop_map(|((file, line, column), action)| Step { place: Place { file, line, column }, action })
}

/// What `encode` writes, `decode` reads, and nothing of it is left.
fn returns<T: PartialEq + std::fmt::Debug>(
    value: &T,
    encode: impl Fn(&T, &mut Bytes),
    decode: impl for<'a> Fn(&mut Cursor<'a>) -> Result<T, Bad>,
) -> Result<(), TestCaseError> {
    let mut bytes = Bytes::default();
    encode(value, &mut bytes);
    let mut cursor = Cursor::new(&bytes.0);
    prop_assert_eq!(&decode(&mut cursor).unwrap(), value);
    prop_assert!(cursor.rest().is_empty());
    for length in 0..bytes.0.len() {
        prop_assert!(decode(&mut Cursor::new(&bytes.0[..length])).is_err(), "{} of {} bytes", length, bytes.0.len());
    }
    Ok(())
}

proptest! {
    #[test]
    fn steps_and_tokens_read_back(step in steps(), token in tokens(), argument in data(), case in any::<(u64, u32)>()) {
        returns(&step, |step, sink| step.encode(sink), Step::decode)?;
        returns(&token, |token, sink| token.encode(sink), Token::decode)?;
        returns(&Argument(argument), |argument, sink| argument.encode(sink), Argument::decode)?;
        returns(&Case { value: case.0, block: case.1 }, |case, sink| case.encode(sink), Case::decode)?;
    }

    #[test]
    fn heads_read_back(
        numbers in any::<[u32; 4]>(), sizes in any::<[u64; 2]>(), variadic: bool, slot: u16, datum in data(), function: Option<u16>, name in "[a-z.]{0,9}",
    ) {
        let [n_symbols, n_functions, n_parameters, n_variables] = numbers;
        returns(&Unit { hash: sizes[0], n_symbols, n_functions }, |unit, sink| unit.encode(sink), Unit::decode)?;
        let function_head = Function { frame_size: sizes[0], arguments: sizes[1], variadic, n_parameters, n_variables, n_symbols, n_blocks: n_functions };
        returns(&function_head, |head, sink| head.encode(sink), Function::decode)?;
        returns(&Parameter { offset: sizes[1], datum, slot }, |one, sink| one.encode(sink), Parameter::decode)?;
        let symbol = Symbol { name: &name, flags: numbers[0], size: sizes[0], function: function.map(u32::from) };
        let mut bytes = Bytes::default();
        symbol.encode(&mut bytes);
        prop_assert_eq!(Symbol::decode(&mut Cursor::new(&bytes.0)).unwrap(), symbol);
        let class = ValueClass::Char;
        let variable = Variable { name: &name, type_name: "char *", class, offset: sizes[0], size: sizes[1], parameter: numbers[1] };
        let mut bytes = Bytes::default();
        variable.encode(&mut bytes);
        prop_assert_eq!(Variable::decode(&mut Cursor::new(&bytes.0)).unwrap(), variable);
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let _ = Unit::decode(&mut Cursor::new(&bytes));
        let _ = Symbol::decode(&mut Cursor::new(&bytes));
        let _ = Function::decode(&mut Cursor::new(&bytes));
        let _ = Parameter::decode(&mut Cursor::new(&bytes));
        let _ = Variable::decode(&mut Cursor::new(&bytes));
        let _ = Step::decode(&mut Cursor::new(&bytes));
        let _ = Token::decode(&mut Cursor::new(&bytes)).map(|token| token.arity());
    }
}
