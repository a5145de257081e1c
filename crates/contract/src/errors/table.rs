//! Every error of the service, a row for each: status, code, message and resolution.

/// Defines an enumeration of errors, a row for each: status, code, message and resolution.
///
/// `ALL` has the rows in the written order; the method after `with` returns the code. The code after `or` is that of the
/// other profile, if it has its own.
macro_rules! coded {
    ($(#[$doc:meta])* pub enum $type:ident with $as:ident or $as_other:ident -> $code_type:ty {
        $($(#[$variant_doc:meta])* $variant:ident ($status:literal):
            $code:literal $(or $other:literal)?, $message:expr, $resolution:expr;)*
    }) => {
        coded! {
            $(#[$doc])*
            pub enum $type with $as -> $code_type {
                $($(#[$variant_doc])* $variant ($status): $code, $message, $resolution;)*
            }
        }

        impl $type {
            /// Returns the code in the identity profile.
            #[must_use]
            pub const fn $as_other(self) -> $code_type {
                match self { $(Self::$variant => coded!(@name $code $(, $other)?),)* }
            }
        }
    };
    (@name $code:literal) => { $code };
    (@name $code:literal, $other:literal) => { $other };
    ($(#[$doc:meta])* pub enum $type:ident with $as:ident -> $code_type:ty {
        $($(#[$variant_doc:meta])* $variant:ident ($status:literal): $code:expr, $message:expr, $resolution:expr;)*
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

            /// Returns the HTTP status.
            pub const fn status(self) -> u16 { match self { $(Self::$variant => $status,)* } }

            /// Returns what happened, for a person.
            pub const fn message(self) -> &'static str { match self { $(Self::$variant => $message,)* } }

            /// Returns what to do next, for a person.
            pub const fn resolution(self) -> &'static str { match self { $(Self::$variant => $resolution,)* } }
        }
    };
}

coded! {
    /// A stable error code.
    pub enum ErrorCode with as_str -> &'static str {
        /// The request line or a header field cannot be understood.
        InvalidRequest(400): "invalid_request",
            "The request could not be understood.",
            "Check the request line and the header fields, then send the request again.";
        /// `locale` is empty, repeated, unknown or differently cased.
        InvalidLocale(400): "invalid_locale",
            "The value of the query parameter `locale` is not supported.",
            "Send `locale=en` or `locale=tr` once, in lower case, or leave the parameter out.";
        /// The credential is not valid.
        InvalidApiKey(401): "invalid_api_key",
            "The credential that was sent is not valid.",
            "Send a credential that was issued to you as `Authorization: Bearer`; `X-Api-Key` takes the published sandbox \
             key only. If it was sent so, it is over: register again as described in /auth.md, or leave it out, \
             because public content needs none.";
        /// The credential lacks the scope.
        InsufficientScope(403): "insufficient_scope",
            "The credential does not carry the scope that this resource needs.",
            "Register or claim a credential with the scope named in `WWW-Authenticate`.";
        /// Nothing is published at this path.
        NotFound(404): "not_found",
            "Nothing is published at this address.",
            "Check the path against /openapi.json or /llms.txt; paths have no trailing slash.";
        /// The resource does not support this method.
        MethodNotAllowed(405): "method_not_allowed",
            "This resource does not support the request method.",
            "Use one of the methods listed in the `Allow` header field.";
        /// No acceptable media type.
        NotAcceptable(406): "not_acceptable",
            "None of the media types in `Accept` is available here.",
            "Send `Accept: application/json`, or leave it out.";
        /// The body is too large.
        PayloadTooLarge(413): "payload_too_large",
            "The request body is larger than this resource accepts.",
            "Send a smaller body; read-only resources take none.";
        /// The request target is too long.
        UriTooLong(414): "uri_too_long",
            "The request address is too long.",
            "Shorten the path or the query.";
        /// The body's media type is not supported.
        UnsupportedMediaType(415): "unsupported_media_type",
            "The media type of the request body is not supported.",
            "Send the body as `Content-Type: application/json`.";
        /// Too many requests.
        RateLimited(429): "rate_limited",
            "Too many requests were sent in a short time.",
            "Wait for the number of seconds in `Retry-After`, then try again.";
        /// A defect of the service.
        InternalError(500): "internal_error",
            "The service could not complete the request.",
            "Try again later; if it persists, report it to the firm with the value of `X-Request-Id`.";
        /// A part of the service is not available.
        Unavailable(503): "unavailable",
            "A part of the service that this request needs is not available at the moment.",
            "Wait for the number of seconds in `Retry-After`, then try again.";
    }
}

coded! {
    /// A stable error code of the registration flow.
    pub enum AgentErrorCode with as_str or as_str_of_identity -> &'static str {
        /// The body is malformed.
        InvalidRequest(400): "invalid_request",
            "The request could not be understood.",
            "Correct the request as described in /auth.md and send it again.";
        /// The body is too large.
        PayloadTooLarge(413): "payload_too_large",
            "The request body is larger than this resource accepts.",
            "Send at most 32 KiB.";
        /// The body's media type is not supported.
        UnsupportedMediaType(415): "unsupported_media_type",
            "The media type of the request body is not supported.",
            "Send the media type that /auth.md names for this endpoint.";
        /// The credential type is not offered.
        UnsupportedCredentialType(400): "unsupported_credential_type",
            "This type of credential is not offered for this type of registration.",
            "Choose one of `credential_types_supported` in the authorization server metadata, or leave the field out.";
        /// The assertion type is not offered.
        UnsupportedAssertionType(400): "unsupported_assertion_type",
            "This type of assertion is not accepted here.",
            "Choose one of `assertion_types_supported` in the authorization server metadata, or, if that is empty, \
             another of `identity_types_supported`.";
        /// Registration without an identity is off.
        AnonymousNotEnabled(400): "anonymous_not_enabled",
            "Anonymous registration is not offered here.",
            "Register with one of the assertion types that the authorization server metadata lists.";
        /// Registration with only an e-mail address is off.
        VerifiedEmailNotEnabled(400): "verified_email_not_enabled" or "service_auth_not_enabled",
            "Registration by e-mail is not offered here.",
            "Register with another type that the authorization server metadata lists.";
        /// `login_hint` is no e-mail address; only in the identity profile.
        InvalidLoginHint(400): "invalid_login_hint",
            "`login_hint` is not an e-mail address.",
            "Send the user's whole e-mail address as `login_hint`.";
        /// The provider is not trusted.
        InvalidIssuer(400): "invalid_issuer",
            "The issuer of the token (`iss`) is not trusted here.",
            "Send an assertion whose `iss` is, character for character, a provider that the firm trusts, or use another \
             type of registration.";
        /// The signature is wrong.
        InvalidSignature(400): "invalid_signature",
            "The signature of the assertion could not be verified.",
            "Have the provider sign a new assertion with ES256, ES384, RS256, PS256 or EdDSA, as far as it may use them \
             here, by a key that it publishes, named in `kid`.";
        /// The assertion is for another service.
        InvalidAudience(400): "invalid_audience",
            "The assertion was made for another audience.",
            "Use the value of `resource` in the protected resource metadata as the only audience (`aud`), and, where \
             the assertion has `resource`, there too.";
        /// The assertion is no longer valid.
        Expired(400): "expired",
            "The assertion has expired (`exp`; clocks may differ by 60 seconds), or was made before the provider revoked \
             the user's access.",
            "Have the provider mint a new assertion, then send it at once.";
        /// The assertion was used already.
        ReplayDetected(400): "replay_detected",
            "The assertion was used before.",
            "Have the provider mint a new assertion with a fresh `jti` for each request.";
        /// The issuer may not assert for the client.
        InvalidClientId(400): "invalid_client_id",
            "The issuer may not make assertions for this client (`client_id`).",
            "Use the `client_id` for which the provider is trusted here; without another one it is the same as `iss`.";
        /// The assertion names no verified mailbox.
        MissingVerifiedEmail(400): "missing_verified_email",
            "The assertion carries no verified e-mail address or telephone number.",
            "Ask the user to verify an address at the provider, which then sends `email` with `email_verified` true, or \
             `phone_number` with `phone_number_verified` true; or register by e-mail.";
        /// The sign-in is too old.
        LoginRequired(401): "login_required",
            "The user's sign-in at the provider is unknown or too long ago: `auth_time` must be at most 3600 seconds ago.",
            "Let the user sign in at the provider again, then send a new assertion.";
        /// The same, at the token endpoint.
        InsufficientUserAuthentication(400): "insufficient_user_authentication",
            "The user's sign-in at the provider is unknown or too long ago: `auth_time` must be at most 3600 seconds ago.",
            "Let the user sign in at the provider again, then send a new assertion.";
        /// The user has to agree first.
        InteractionRequired(401): "interaction_required",
            "The user's address is known here under another identity, so the user has to agree first.",
            "Tell the user to follow the link that was sent by e-mail, then complete the claim with the code.";
        /// The claim token is unknown.
        InvalidClaimToken(401): "invalid_claim_token",
            "The claim token is not known.",
            "Register again to get a new one.";
        /// The registration is claimed, or can be claimed only by another person.
        ClaimedOrInFlight(409): "claimed_or_in_flight",
            "The registration was claimed already, or only the user of the registered address can claim it.",
            "If it is claimed, use your credential; if it waits for an address, start the claim with that address.";
        /// The registration was claimed.
        PreviouslyClaimed(409): "previously_claimed",
            "The registration was claimed already.",
            "Poll the token endpoint with the claim grant if the credential did not arrive.";
        /// The registration has ended.
        ClaimExpired(410): "claim_expired",
            "The registration, or this claim request, has expired.",
            "Start a new claim with the same claim token; if the registration has expired, register again.";
        /// The person refused.
        AccessDenied(403): "access_denied",
            "The user refused the claim.",
            "Do not send this user another claim for this registration.";
        /// A newer attempt replaced this one.
        ClaimSuperseded(410): "claim_superseded",
            "This claim request is void: a newer one replaced it, or it never existed.",
            "Use the link in the latest message.";
        /// The claim of the link is already complete.
        ClaimCompleted(409): "claim_completed",
            "The agent already has access.",
            "No further step is needed; access can be revoked at /agent/access.";
        /// The service sends no mail, so claims are not possible.
        ClaimNotEnabled(400): "claim_not_enabled",
            "No claim is possible here, because this service sends no mail.",
            "Use the registration without a claim; do not start another.";
        /// The code is wrong.
        OtpInvalid(401): "otp_invalid" or "invalid_user_code",
            "The code is wrong.",
            "Ask the user to read the code again; after five wrong codes start a new claim.";
        /// The code has expired, or has no tries left.
        OtpExpired(410): "otp_expired" or "user_code_expired",
            "The code has expired, or five wrong codes were sent.",
            "Start a new claim with the same claim token.";
        /// The code has not been shown yet.
        OtpNotGenerated(400): "otp_not_generated" or "claim_not_confirmed",
            "The code has not been shown to the user yet.",
            "Ask the user to open the link in the message and to choose \"Show code\".";
        /// The claim is not completed yet.
        AuthorizationPending(400): "authorization_pending",
            "The claim is not completed yet, or was completed in the last two minutes.",
            "Send the code that the user receives; if another process sends it, poll again after the interval. An agent \
             that has the answer to its code stops polling.";
        /// Polled too early.
        SlowDown(400): "slow_down",
            "The token endpoint was polled before the interval had passed.",
            "Wait for the number of seconds in `interval` between two polls from now on.";
        /// The registration, or its code, has expired.
        ExpiredToken(400): "expired_token",
            "The time to complete the claim is over.",
            "Start a new claim with the same claim token, or register again.";
        /// The grant is not valid.
        InvalidGrant(400): "invalid_grant",
            "The grant is not valid: it is unknown, revoked, or was used already.",
            "Register again.";
        /// Not a grant of this service.
        UnsupportedGrantType(400): "unsupported_grant_type",
            "This grant type is not supported.",
            "Use one of `grant_types_supported` in the authorization server metadata.";
        /// Not a scope of this service.
        InvalidScope(400): "invalid_scope",
            "A scope is unknown, malformed, or not in the assertion.",
            "Use scopes of `scopes_supported` in the authorization server metadata that the assertion grants, or leave \
             `scope` out.";
        /// Not a resource of this service.
        InvalidTarget(400): "invalid_target",
            "This service issues no tokens for the resource.",
            "Send the value of `resource` in the protected resource metadata, or leave it out.";
        /// The client is not authenticated.
        InvalidClient(401): "invalid_client",
            "The client could not be authenticated.",
            "Send the client's secret to /oauth2/token, or none.";
        /// There is no sign-in, so no response type is supported.
        UnsupportedResponseType(400): "unsupported_response_type",
            "This service has no sign-in, so no response type is supported.",
            "Register as described in /auth.md; do not send users here to sign in.";
        /// Too many requests.
        RateLimited(429): "rate_limited",
            "Too many requests of this kind were made.",
            "Wait for the number of seconds in `Retry-After`, then try again.";
        /// The store or a provider is not available.
        TemporarilyUnavailable(503): "temporarily_unavailable",
            "A part of the service that this request needs is not available at the moment.",
            "Wait for the number of seconds in `Retry-After`, then send the same request again.";
        /// A defect of the service.
        InternalError(500): "internal_error",
            "The service could not complete the request.",
            "Try again later; if it persists, report it to the firm with the value of `X-Request-Id`.";
    }
}

coded! {
    /// A case of a code with a message of its own.
    pub enum ErrorDetail with as_str -> &'static str {
        /// The head of the first request of a connection did not arrive in time.
        LateHead(408): ErrorCode::InvalidRequest.as_str(),
            "The head of the request did not arrive in five seconds.",
            "Send the whole request at once.";
        /// A request did not arrive in time.
        Late(408): ErrorCode::InvalidRequest.as_str(),
            "The request did not arrive in ten seconds.",
            "Send the whole request at once.";
        /// The head of a request is too long.
        LargeHead(431): ErrorCode::InvalidRequest.as_str(),
            "The header fields of the request are too long or too many.",
            "Send fewer and shorter header fields.";
        /// A body has a content coding.
        Coded(415): ErrorCode::UnsupportedMediaType.as_str(),
            "The content coding of the request body is not supported.",
            "Send the body as it is, without `Content-Encoding`.";
        /// A request about the credential that it sends, without one that was issued.
        NoCredential(401): ErrorCode::InvalidApiKey.as_str(),
            "No issued credential was sent.",
            "Send the credential of the registration as `Authorization: Bearer`.";
        /// A claim of a registration that is claimed.
        AlreadyClaimed(409): AgentErrorCode::ClaimedOrInFlight.as_str(),
            "The registration was claimed already.",
            "Use the credential that you hold. If none arrived, poll the token endpoint with the claim grant, within ten \
             minutes of the claim.";
        /// A claim for another person than the one of the registration.
        OtherAddress(409): AgentErrorCode::ClaimedOrInFlight.as_str(),
            "The registration waits for the address that it was made for.",
            "Start the claim with that address, and hand in the code that its user tells you; for another person, \
             register anew.";
        /// A registration without further codes.
        NoCodesLeft(429): AgentErrorCode::RateLimited.as_str(),
            "This registration has used up its codes.",
            "Register again; this registration gets no further code, even after a wait.";
        /// An assertion about a user who is known under another identity, if the service sends no e-mail to request
        /// consent.
        NoMailForClaim(400): AgentErrorCode::ClaimNotEnabled.as_str(),
            "The user's address is known here under another identity, and this service \
     cannot request the user's consent because it sends no mail.",
            "Send an assertion of the identity under which the user is known here, \
     or register without the user's identity if the authorization server metadata offers that.";
        /// No registration is offered; the code is that of the requested kind.
        NothingOffered(400): AgentErrorCode::AnonymousNotEnabled.as_str(),
            "No registration is offered here, of any kind.",
            "Read the content without a credential: all of it is public.";
    }
}

coded! {
    /// Why a security event token was rejected.
    pub enum EventErrorCode with as_str -> &'static str {
        /// The token is not of the required type, or is too old.
        InvalidRequest(400): AgentErrorCode::InvalidRequest.as_str(),
            "The token cannot be used.",
            "Send a token of the type of the request's media type, issued in the last seven days.";
        /// The token's key is not one of the issuer's.
        InvalidKey(400): "invalid_key",
            "The issuer has no such key, or may not use this algorithm here.",
            "Publish the key under the `kid` of the token, then send the report again.";
        /// The issuer is not trusted.
        InvalidIssuer(400): AgentErrorCode::InvalidIssuer.as_str(),
            "The issuer of the token is not trusted here.",
            "Ask the firm to trust the provider; until then it has no registrations here to revoke.";
        /// The token was made for another service.
        InvalidAudience(400): AgentErrorCode::InvalidAudience.as_str(),
            "The token was made for another audience.",
            "Use the value of `resource` in the protected resource metadata as the only audience.";
        /// The signature is not by the token's key.
        AuthenticationFailed(400): "authentication_failed",
            "The key named in `kid` did not make the signature of the token.",
            "Sign the report with the key named in `kid`, then send it again.";
    }
}

coded! {
    /// Why a request is not a form of this service.
    pub enum BadForm with code -> AgentErrorCode {
        /// The body is neither a form nor, where JSON is accepted, JSON.
        MediaType(415): AgentErrorCode::UnsupportedMediaType,
            AgentErrorCode::UnsupportedMediaType.message(),
            "Send a form or JSON with its `Content-Type`.";
        /// The body has a content coding.
        Coded(415): AgentErrorCode::UnsupportedMediaType,
            ErrorDetail::Coded.message(),
            ErrorDetail::Coded.resolution();
        /// A page of another site made the browser send the request.
        Origin(403): AgentErrorCode::InvalidRequest,
            "The request was sent from a page of another site.",
            "Open the link in the message, and answer on that page.";
        /// The body is longer than [`MAX_FORM_BYTES`](super::MAX_FORM_BYTES).
        TooLarge(413): AgentErrorCode::PayloadTooLarge,
            AgentErrorCode::PayloadTooLarge.message(),
            "Send at most 8 KiB.";
        /// The body did not arrive in time.
        Late(408): AgentErrorCode::InvalidRequest,
            ErrorDetail::Late.message(),
            ErrorDetail::Late.resolution();
        /// The body ends early, or a field is missing or repeated.
        Malformed(400): AgentErrorCode::InvalidRequest,
            AgentErrorCode::InvalidRequest.message(),
            "Send `claim_attempt_token` once, with the value of `token` in the link of the message.";
    }
}
