//! Enumerations of what can go wrong. Each case is written in one place: code, messages and, where the contract has it,
//! status.

/// Defines an enumeration of errors, each with its code, what happened and what to do next. It has `ALL` in the written
/// order, the code under the name that follows `with`, `message` and `resolution`, and `status` if each case has one.
macro_rules! coded {
    ($(#[$doc:meta])* pub enum $type:ident with $as:ident -> $code_type:ty {
        $($(#[$variant_doc:meta])* $variant:ident ($status:literal): $code:expr, $message:expr, $resolution:expr;)*
    }) => {
        $crate::coded::coded! {
            $(#[$doc])*
            pub enum $type with $as -> $code_type {
                $($(#[$variant_doc])* $variant: $code, $message, $resolution;)*
            }
        }

        impl $type {
            /// The HTTP status that carries it.
            #[must_use]
            pub const fn status(self) -> u16 { match self { $(Self::$variant => $status,)* } }
        }
    };
    ($(#[$doc:meta])* pub enum $type:ident with $as:ident -> $code_type:ty {
        $($(#[$variant_doc:meta])* $variant:ident: $code:expr, $message:expr, $resolution:expr;)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type { $($(#[$variant_doc])* $variant,)* }

        impl $type {
            /// Every case, in the order in which they are numbered.
            pub const ALL: [Self; [$(stringify!($variant),)*].len()] = [$(Self::$variant,)*];

            /// The code on the wire.
            #[must_use]
            pub const fn $as(self) -> $code_type { match self { $(Self::$variant => $code,)* } }

            /// What happened, for a person.
            #[must_use]
            pub const fn message(self) -> &'static str { match self { $(Self::$variant => $message,)* } }

            /// What to do next, for a person.
            #[must_use]
            pub const fn resolution(self) -> &'static str { match self { $(Self::$variant => $resolution,)* } }
        }
    };
}

pub(crate) use coded;
