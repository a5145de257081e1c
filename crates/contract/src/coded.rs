//! Enumerations of errors. Code, message, resolution and optional status of each case stand together.

/// Defines an enumeration of errors with `ALL` in the written order, a method after `with` that returns the code,
/// `message`, `resolution`, and `status` if each case has one.
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
            /// Returns the HTTP status.
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
            /// Every case, in the written order.
            pub const ALL: [Self; [$(stringify!($variant),)*].len()] = [$(Self::$variant,)*];

            /// Returns the code on the wire.
            #[must_use]
            pub const fn $as(self) -> $code_type { match self { $(Self::$variant => $code,)* } }

            /// Returns what happened, for a person.
            #[must_use]
            pub const fn message(self) -> &'static str { match self { $(Self::$variant => $message,)* } }

            /// Returns what to do next, for a person.
            #[must_use]
            pub const fn resolution(self) -> &'static str { match self { $(Self::$variant => $resolution,)* } }
        }
    };
}

pub(crate) use coded;
