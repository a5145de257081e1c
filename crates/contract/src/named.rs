//! Enumerations whose variants have names; each name is written once.

/// Defines an enumeration of named variants with `ALL` and `NAMED` in the written order, `as_str` and `parse`.
#[macro_export]
macro_rules! names {
    ($(#[$doc:meta])* pub enum $type:ident { $($(#[$variant_doc:meta])* $variant:ident $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type { $($(#[$variant_doc])* $variant,)* }

        impl $type {
            /// Every variant, in the order in which documents list them.
            pub const ALL: [Self; Self::NAMED.len()] = [$(Self::$variant,)*];
            /// Every variant with its name.
            pub const NAMED: [(&'static str, Self); [$($name,)*].len()] = [$(($name, Self::$variant),)*];

            /// Returns the name.
            pub const fn as_str(self) -> &'static str { match self { $(Self::$variant => $name,)* } }

            /// Returns the variant of this name.
            pub fn parse(name: &str) -> Option<Self> {
                Self::NAMED.into_iter().find(|(known, _)| *known == name).map(|(_, found)| found)
            }
        }
    };
}

/// Like [`names!`], with the same names in serde, on which the using crate depends.
#[macro_export]
macro_rules! named {
    ($(#[$doc:meta])* pub enum $type:ident { $($(#[$variant_doc:meta])* $variant:ident $name:literal,)* }) => {
        $crate::names! {
            $(#[$doc])*
            #[derive(::serde::Serialize, ::serde::Deserialize)]
            pub enum $type { $($(#[$variant_doc])* #[serde(rename = $name)] $variant $name,)* }
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::{
        agent_auth::{AssertionType, CredentialType, IdentityType, Profile, RegistrationType},
        manifest::Class,
        mcp::NetworkRelation,
        scopes::Scope,
    };

    #[test]
    fn names_are_the_same_in_all_conversions() {
        macro_rules! assert_named {
            ($($type:ident)*) => {$(
                for (name, one) in $type::NAMED {
                    assert_eq!((one.as_str(), $type::parse(name)), (name, Some(one)));
                    assert_eq!(serde_json::to_value(one).unwrap(), name);
                    assert_eq!(serde_json::from_value::<$type>(name.into()).unwrap(), one);
                }
                assert_eq!($type::NAMED.map(|(_, one)| one), $type::ALL);
                assert_eq!($type::parse(""), None);
            )*};
        }
        assert_named!(Scope IdentityType AssertionType CredentialType Profile RegistrationType Class NetworkRelation);
    }
}
